// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/run_environment.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "analyzer/output/near_names.h"

namespace dltap::analyzer {
namespace {

// Profiles of simulated libraries, and the oldest GPU that each one's CUDA
// version runs on.
struct Profile {
  int cuda;
  const char* folder;
  int oldest_compute;
};
// The newest first.
constexpr Profile kProfiles[] = {
    {kNewestCuda, "cu13", 75}, {12, "cu12", 50}, {11, "cu11", 35}};

const Profile& ProfileOf(int cuda) {
  return *std::find_if(std::begin(kProfiles), std::end(kProfiles) - 1,
                       [&](const Profile& p) { return p.cuda == cuda; });
}

bool IsTooOld(const opmodel::GpuSpec& gpu, int cuda) {
  return gpu.compute_major * 10 + gpu.compute_minor <
         ProfileOf(cuda).oldest_compute;
}

int NewestFor(const opmodel::GpuSpec& gpu) {
  for (const Profile& profile : kProfiles) {
    if (!IsTooOld(gpu, profile.cuda)) return profile.cuda;
  }
  return kNewestCuda;
}

// LD_PRELOAD has no way to write a separator.
absl::Status CheckPreloadable(const std::string& path) {
  if (path.find_first_of(": ") == std::string::npos) return absl::OkStatus();
  return absl::FailedPreconditionError(
      path +
      ": a path with a space or a colon cannot be preloaded; install "
      "dltap elsewhere");
}

// The tap replaces %x in DLTAP_OUTPUT.
std::string Escaped(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    escaped += c;
    if (c == '%') escaped += c;
  }
  return escaped;
}

void RedirectCaches(const std::string& directory, Environment& environment) {
  static constexpr std::pair<const char*, const char*> kCaches[] = {
      {"TRITON_CACHE_DIR", "triton"}, {"TORCHINDUCTOR_CACHE_DIR", "inductor"},
      {"CUDA_CACHE_PATH", "cuda"},    {"CUPY_CACHE_DIR", "cupy"},
      {"NUMBA_CACHE_DIR", "numba"},   {"CACHEDB", "tinygrad/cache.db"},
  };
  for (const auto& [variable, folder] : kCaches) {
    environment[variable] = directory + "/caches/" + folder;
  }
  // PyTorch's own would have to exist; its kernels are few.
  environment["USE_PYTORCH_KERNEL_CACHE"] = "0";
  // Naming this one turns it on, so only what is on goes elsewhere.
  if (auto jax = environment.find("JAX_COMPILATION_CACHE_DIR");
      jax != environment.end()) {
    jax->second = directory + "/caches/jax";
  }
}

// Triton's launchers are linked to the libcuda.so.1 of the one folder; it would
// look in the system's folders only. Its profiler, Proton, opens the
// libcupti.so of the other; it would take the one in its wheel.
void ShowToTriton(const std::vector<std::string>& libraries,
                  Environment& environment) {
  for (const std::string& path : libraries) {
    const size_t slash = path.rfind('/');
    const std::string folder = path.substr(0, slash);
    const std::string_view name = std::string_view(path).substr(slash + 1);
    if (name == "libcuda.so.1") {
      environment.try_emplace("TRITON_LIBCUDA_PATH", folder);
    } else if (name.starts_with("libcupti.so")) {
      environment.try_emplace("TRITON_CUPTI_LIB_PATH", folder + "/proton");
    }
  }
}

constexpr std::string_view kToolkitFlag = "--xla_gpu_cuda_data_dir=";

// XLA compiles with the ptxas and libdevice of NVIDIA's wheels. With a toolkit
// in their place, XLA still wants this flag.
void ShowToolkit(const std::string& fetched, Environment& environment) {
  std::string toolkit = fetched;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const auto named = environment.find(variable);
    if (named != environment.end() && !named->second.empty()) {
      toolkit = named->second;
    }
  }
  if (toolkit.empty()) return;
  std::string& flags = environment["XLA_FLAGS"];
  const bool names_a_file = !flags.empty() && flags[0] != '-';
  if (names_a_file || flags.find(kToolkitFlag) != std::string::npos) return;
  flags += (flags.empty() ? "" : " ") + std::string(kToolkitFlag) + toolkit;
}

// When simulated time is not the host's, the tap must read the same clock.
void MatchClocks(const std::string& wanted, Environment& environment) {
  std::string& clock = environment["DLTAP_SIM_CLOCK"];
  if (!wanted.empty()) clock = wanted;
  if (clock == "virtual") {
    // PyTorch's events for collectives come back to their pool from a thread
    // that looks every 100 ms of real time: how many are made depends on it.
    environment.try_emplace("TORCH_NCCL_CUDA_EVENT_CACHE", "0");
  }
  if (clock == "skip" || clock == "virtual") {
    environment["DLTAP_CLOCK"] = "cupti";
  } else {
    environment.erase("DLTAP_SIM_CLOCK");
  }
}

void ChooseWindow(const RunSettings& settings, Environment& environment) {
  if (settings.delay_s > 0) {
    environment["DLTAP_DELAY_S"] = std::to_string(settings.delay_s);
  }
  if (settings.duration_s > 0) {
    environment["DLTAP_DURATION_S"] = std::to_string(settings.duration_s);
  }
  if (!settings.range.empty()) environment["DLTAP_RANGE"] = settings.range;
}

}  // namespace

std::vector<std::string> SimulatedGpus() {
  std::vector<std::string> names;
  for (const opmodel::GpuSpec& gpu : opmodel::AllGpus()) {
    if (gpu.vendor == opmodel::Vendor::kNvidia) names.emplace_back(gpu.name);
  }
  return names;
}

absl::StatusOr<const opmodel::GpuSpec*> ParseGpu(const std::string& value) {
  constexpr std::string_view kSim = "sim:";
  if (value == "real") return nullptr;
  if (!value.starts_with(kSim)) {
    const bool is_gpu = opmodel::FindGpu(value) != nullptr;
    return absl::InvalidArgumentError(
        "--gpu is real or sim:NAME, not \"" + value + "\"" +
        (is_gpu ? "; did you mean sim:" + value + "?" : ""));
  }
  const std::string name = value.substr(kSim.size());
  const opmodel::GpuSpec* gpu = opmodel::FindGpu(name);
  if (gpu == nullptr || gpu->vendor != opmodel::Vendor::kNvidia) {
    return absl::InvalidArgumentError("no simulated GPU is called \"" + name +
                                      "\"" +
                                      WhatThereIs(name, SimulatedGpus()));
  }
  return gpu;
}

absl::StatusOr<int> ChooseCuda(std::optional<int> wanted,
                               std::optional<int> guessed,
                               const RunSettings& settings) {
  const opmodel::GpuSpec& gpu = *settings.simulated;
  const int cuda = wanted ? *wanted : guessed ? *guessed : NewestFor(gpu);
  if (IsTooOld(gpu, cuda) && !settings.what_if) {
    return absl::InvalidArgumentError(
        std::string(gpu.name) + " is older than sm_" +
        std::to_string(ProfileOf(cuda).oldest_compute) + ", which CUDA " +
        std::to_string(cuda) + " needs" +
        (!wanted && guessed ? ", and the program is built for that" : "") +
        "; add --what-if to simulate it all the same");
  }
  return cuda;
}

absl::StatusOr<Environment> RunEnvironment(const RunSettings& settings,
                                           const InstallPaths& paths,
                                           Environment environment) {
  absl::StatusOr<std::string> tap = paths.Tap();
  if (!tap.ok()) return tap.status();
  // NVTX 3 lives in headers; its ranges come to the library that this names. A
  // tool that the user has named gets them from the tap.
  std::string& nvtx_tool = environment["NVTX_INJECTION64_PATH"];
  if (!nvtx_tool.empty() && nvtx_tool != *tap) {
    environment["DLTAP_NVTX_NEXT"] = nvtx_tool;
  }
  nvtx_tool = *tap;
  std::vector<std::string> preload = {*std::move(tap)};
  if (settings.simulated != nullptr) {
    const auto libraries =
        paths.SimulatedLibraries(ProfileOf(settings.cuda).folder);
    if (!libraries.ok()) return libraries.status();
    preload.insert(preload.end(), libraries->begin(), libraries->end());
    environment["DLTAP_SIM_GPU"] = settings.simulated->name;
    environment["DLTAP_SIM_CUDA"] = std::to_string(settings.cuda);
    environment["DLTAP_SIM_GPUS"] = std::to_string(settings.gpus);
    if (settings.what_if) environment["DLTAP_SIM_WHAT_IF"] = "1";
    // What CUPTI costs is not to be judged by a simulation.
    environment.try_emplace("DLTAP_STEP_DOWN", "off");
    MatchClocks(settings.sim_clock, environment);
    RedirectCaches(settings.directory, environment);
    ShowToTriton(*libraries, environment);
    ShowToolkit(settings.toolkit, environment);
  }
  std::string value;
  for (const std::string& path : preload) {
    if (absl::Status s = CheckPreloadable(path); !s.ok()) return s;
    value += (value.empty() ? "" : ":") + path;
  }
  std::string& variable = environment["LD_PRELOAD"];
  variable = variable.empty() ? value : value + ":" + variable;
  environment["DLTAP_OUTPUT"] = Escaped(settings.directory);
  if (!settings.delays_us.empty()) {
    environment.try_emplace("DLTAP_DELAYS", settings.delays_us);
    environment["DLTAP_DELAY_WINDOW_MS"] =
        std::to_string(settings.delay_window_ms);
  }
  if (!settings.level.empty()) environment["DLTAP_LEVEL"] = settings.level;
  if (!settings.sites.empty()) environment["DLTAP_SITES"] = settings.sites;
  if (settings.tensorflow_names) environment["DLTAP_TF_NAMES"] = "1";
  ChooseWindow(settings, environment);
  return environment;
}

bool TakesToolkit(const RunSettings& settings, const Environment& environment) {
  const auto flags = environment.find("XLA_FLAGS");
  return !settings.toolkit.empty() && flags != environment.end() &&
         flags->second.ends_with(std::string(kToolkitFlag) + settings.toolkit);
}

Environment CurrentEnvironment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

}  // namespace dltap::analyzer
