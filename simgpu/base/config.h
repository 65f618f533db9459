// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_CONFIG_H_
#define DLTAP_SIMGPU_BASE_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>

#include "opmodel/gpu_table.h"

namespace dltap::simgpu {

enum class ClockMode : uint8_t {
  kReal,     // the host waits as it would for a GPU
  kSkip,     // waits advance the clock instead of sleeping
  kVirtual,  // time is a counter: each host call costs a fixed time
};

// The DLTAP_SIM_* environment, read once at the first call and never again.
struct Config {
  const opmodel::GpuSpec* gpu = nullptr;  // nullptr: no simulation wanted
  std::string refusal;  // why the wanted GPU is refused; empty: it is not
  // DLTAP_SIM_CUDA: of the driver and of libraries that serve both versions.
  int cuda_version = 13000;
  int oldest_compute = 75;    // that this version compiles for
  int device_count = 1;       // DLTAP_SIM_GPUS
  uint64_t memory_bytes = 0;  // per device; DLTAP_SIM_MEMORY_GB
  ClockMode clock = ClockMode::kReal;
  bool log_defaults = false;  // DLTAP_SIM_LOG
  bool quiet = false;         // DLTAP_SIM_QUIET
  bool keep_numbers = false;  // DLTAP_SIM_KEEP_NUMBERS
  // DLTAP_SIM_VALUES: what nobody computed reads as small random numbers;
  // nullopt: as zeroes.
  std::optional<uint64_t> plausible_seed;
  std::string counts_path;    // DLTAP_SIM_COUNTS, %p replaced by the pid
  std::string launches_path;  // DLTAP_SIM_LAUNCHES, likewise
  std::string faults;         // DLTAP_SIM_FAULTS
  std::string topology;       // DLTAP_SIM_TOPOLOGY
  std::string cupti_toolkit;  // DLTAP_SIM_CUPTI_VERSION, as "12.4"
};

// Thread-safe; allocates at the first call.
const Config& GetConfig();

// True when DLTAP_SIM_GPU names a GPU that may be simulated. Every entry point
// but the registration functions returns kStubLibrary when this is false.
bool SimulationEnabled();

// Path with each "%p" replaced by this process's id.
std::string ExpandPid(const std::string& path);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_CONFIG_H_
