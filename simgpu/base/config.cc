// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/config.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda12/versions.h"

namespace dltap::simgpu {
namespace {

constexpr int kMaxDeviceCount = 16;

// What DLTAP_SIM_CUDA may say, and the oldest GPU that its driver knows: CUDA
// 13 dropped everything before Turing, CUDA 12 before Maxwell. The driver of
// CUDA 11 is the last one, whose libraries may be older.
struct CudaRelease {
  const char* name;
  int version;
  int oldest_compute;
};
constexpr CudaRelease kReleases[] = {
    {"13", 13000, 75},
    {"12", DLTAP_CUDA12_CUDART_VERSION, 50},
    {"11", 11080, 35},
};

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool Flag(const char* name) {
  const std::string value = Environment(name);
  return !value.empty() && value != "0";
}

// The value when it is a number in (0, limit], else `fallback` and a warning.
double NumberOr(const char* name, double fallback, double limit) {
  const std::string value = Environment(name);
  if (value.empty()) return fallback;
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (*end == '\0' && number > 0 && number <= limit) return number;
  std::fprintf(stderr,
               "dltap: simgpu: %s=%s is not a number in (0, %g]; using %g\n",
               name, value.c_str(), limit, fallback);
  return fallback;
}

ClockMode ParseClock() {
  const std::string value = Environment("DLTAP_SIM_CLOCK");
  if (value == "skip") return ClockMode::kSkip;
  if (value == "virtual") return ClockMode::kVirtual;
  if (!value.empty() && value != "real") {
    std::fprintf(stderr,
                 "dltap: simgpu: DLTAP_SIM_CLOCK=%s is not one of real, skip, "
                 "virtual; using real\n",
                 value.c_str());
  }
  return ClockMode::kReal;
}

const CudaRelease& ChooseRelease() {
  const std::string value = Environment("DLTAP_SIM_CUDA");
  for (const CudaRelease& release : kReleases) {
    if (value == release.name) return release;
  }
  if (!value.empty()) {
    std::fprintf(stderr,
                 "dltap: simgpu: DLTAP_SIM_CUDA=%s is none of 11, 12, 13: 13\n",
                 value.c_str());
  }
  return kReleases[0];
}

void ChooseGpu(const std::string& name, const CudaRelease& release,
               Config& config) {
  const opmodel::GpuSpec* gpu = opmodel::FindGpu(name);
  if (gpu == nullptr) {
    config.refusal = "unknown GPU '" + name + "' in DLTAP_SIM_GPU";
    return;
  }
  const bool too_old =
      gpu->compute_major * 10 + gpu->compute_minor < release.oldest_compute;
  if (too_old && !Flag("DLTAP_SIM_WHAT_IF")) {
    config.refusal = name + " is older than sm_" +
                     std::to_string(release.oldest_compute) + ", which CUDA " +
                     release.name + " needs; DLTAP_SIM_WHAT_IF=1 simulates " +
                     "it all the same";
    return;
  }
  config.gpu = gpu;
}

// "zero", "plausible" or "plausible:SEED".
void ChooseValues(const std::string& values, Config& config) {
  constexpr std::string_view kPlausible = "plausible";
  if (values.empty() || values == "zero") return;
  uint64_t seed = 0;
  bool is_known = values == kPlausible;
  if (values.starts_with("plausible:")) {
    const char* end = values.data() + values.size();
    const auto [at, error] =
        std::from_chars(values.data() + kPlausible.size() + 1, end, seed);
    is_known = error == std::errc() && at == end;
  }
  if (is_known) {
    config.plausible_seed = seed;
    return;
  }
  config.refusal = "DLTAP_SIM_VALUES=" + values +
                   " is none of zero, plausible, plausible:SEED";
  config.gpu = nullptr;
}

Config ReadEnvironment() {
  Config config;
  const CudaRelease& release = ChooseRelease();
  config.cuda_version = release.version;
  config.oldest_compute = release.oldest_compute;
  const std::string name = Environment("DLTAP_SIM_GPU");
  if (!name.empty()) ChooseGpu(name, release, config);
  config.device_count =
      static_cast<int>(NumberOr("DLTAP_SIM_GPUS", 1, kMaxDeviceCount));
  if (config.gpu != nullptr) {
    const double gib = static_cast<double>(1u << 30);
    config.memory_bytes = static_cast<uint64_t>(
        NumberOr("DLTAP_SIM_MEMORY_GB", config.gpu->memory_bytes / gib, 4096) *
        gib);
  }
  config.clock = ParseClock();
  config.log_defaults = Flag("DLTAP_SIM_LOG");
  config.quiet = Flag("DLTAP_SIM_QUIET");
  config.keep_numbers = Flag("DLTAP_SIM_KEEP_NUMBERS");
  ChooseValues(Environment("DLTAP_SIM_VALUES"), config);
  config.counts_path = Environment("DLTAP_SIM_COUNTS");
  config.launches_path = Environment("DLTAP_SIM_LAUNCHES");
  config.faults = Environment("DLTAP_SIM_FAULTS");
  config.topology = Environment("DLTAP_SIM_TOPOLOGY");
  config.cupti_toolkit = Environment("DLTAP_SIM_CUPTI_VERSION");
  if (!config.refusal.empty()) {
    std::fprintf(stderr, "dltap: simgpu: %s\n", config.refusal.c_str());
  }
  return config;
}

}  // namespace

const Config& GetConfig() {
  // Leaked on purpose: entry points may run after static destructors.
  static const Config* const config = new Config(ReadEnvironment());
  return *config;
}

bool SimulationEnabled() { return GetConfig().gpu != nullptr; }

std::string ExpandPid(const std::string& path) {
  std::string expanded;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.compare(i, 2, "%p") == 0) {
      expanded += std::to_string(getpid());
      ++i;
    } else {
      expanded += path[i];
    }
  }
  return expanded;
}

}  // namespace dltap::simgpu
