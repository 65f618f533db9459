// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_RUN_ENVIRONMENT_H_
#define DLTAP_ANALYZER_CONTROL_RUN_ENVIRONMENT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/control/install_paths.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {

inline constexpr int kNewestCuda = 13;  // that is simulated

using Environment = std::map<std::string, std::string>;

// What `dltap run` was asked for, as far as the child's environment shows it.
struct RunSettings {
  std::string directory;                        // absolute, exists
  const opmodel::GpuSpec* simulated = nullptr;  // nullptr: the real GPU
  int cuda = kNewestCuda;                       // of the simulated libraries
  int gpus = 1;                                 // simulated devices
  bool what_if = false;   // simulate a GPU that the CUDA version has given up
  std::string sim_clock;  // real, skip, virtual; empty: as inherited
  std::string delays_us;  // "20,50,100" unless inherited; empty: no delays
  int delay_window_ms = 500;
  std::string level;  // empty: the tap's default
  std::string sites;  // the same
  bool tensorflow_names = false;
  int delay_s = 0;      // recording begins so long after the first GPU work
  int duration_s = 0;   // and lasts so long; 0: to the end
  std::string range;    // recording only inside NVTX ranges of that name
  std::string toolkit;  // for XLA, where the environment names none
};

// The names that may follow "sim:".
std::vector<std::string> SimulatedGpus();

// The GPU of `--gpu VALUE`: nullptr for "real", a row of the GPU table for
// "sim:NAME". Errors name what there is.
absl::StatusOr<const opmodel::GpuSpec*> ParseGpu(const std::string& value);

// The version of CUDA that settings.simulated gets: what the user `wanted`; or
// the `guessed` one that the program is built for, since it starts with no
// other; or the newest that has not given up the GPU.
absl::StatusOr<int> ChooseCuda(std::optional<int> wanted,
                               std::optional<int> guessed,
                               const RunSettings& settings);

// `inherited` with what the tap and the simulation need put in: libdltap.so
// first in LD_PRELOAD, then the simulated libraries, then what was there. For
// a simulated GPU, kernel caches go to the run's directory: nothing compiled
// or tuned for it may reach a later run on a real one.
absl::StatusOr<Environment> RunEnvironment(const RunSettings& settings,
                                           const InstallPaths& paths,
                                           Environment inherited);

// Does `environment` make XLA take settings.toolkit, and not one that the user
// has named?
bool TakesToolkit(const RunSettings& settings, const Environment& environment);

// This process's environment.
Environment CurrentEnvironment();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_RUN_ENVIRONMENT_H_
