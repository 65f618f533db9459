// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>

#include "shim/opmodel/streaming_time.h"
#include "shim/simgpu/device/library_call.h"
#include "shim/simgpu/device/library_entry.h"

// cuFFT's header comes only with its big wheel: prototypes by its public
// documentation (cufftHandle is an int; results are an enumeration).

namespace dltap::simgpu {
namespace {

enum Result : int {
  kSuccess = 0,
  kInvalidPlan = 1,
  kExecFailed = 6,
  kSetupFailed = 7
};

struct Plan {
  void* stream = nullptr;
  double elements = 0;  // of all transforms of the batch
};

struct Plans {
  std::mutex mutex;
  std::map<int, Plan> by_handle;
  int last_handle = 0;
};

Plans& ThePlans() {
  static auto* const plans = new Plans;
  return *plans;
}

template <typename Body>
Result WithPlan(ApiFunction& function, int handle, Body&& body) {
  return RunEntry<kSetupFailed>(function, [&] {
    Plans& plans = ThePlans();
    const std::lock_guard lock(plans.mutex);
    const auto found = plans.by_handle.find(handle);
    return found == plans.by_handle.end() ? kInvalidPlan : body(found->second);
  });
}

Error Launch(const Plan& plan) {
  // A long transform goes through memory once per 4096-point pass.
  const double passes =
      std::max(1.0, std::ceil(std::log2(plan.elements + 1) / 12));
  const double bytes = plan.elements * 16 * passes;
  const double blocks = std::clamp(std::ceil(bytes / 4096), 1.0, 65535.0);
  return LaunchLibraryKernel(
      plan.stream,
      {.name = "void vector_fft<256u, EPT<16u>, 4u, 1u, (padding_t)1, "
               "(twiddle_t)0, (loadstore_modifier_t)2, unsigned int, float>"
               "(kernel_arguments_t<unsigned int>)",
       .grid = {static_cast<uint32_t>(blocks), 1, 1},
       .registers_per_thread = 48,
       .duration_ns = std::llround(
           opmodel::StreamingTime(bytes, GpuOfStream(plan.stream)).ns)});
}

}  // namespace

SIMGPU_API int cufftCreate(int* handle) {
  return RunEntry<kSetupFailed>(FunctionOf<"cufft", "cufftCreate">(), [&] {
    Plans& plans = ThePlans();
    const std::lock_guard lock(plans.mutex);
    *handle = ++plans.last_handle;
    plans.by_handle.try_emplace(*handle);
    return kSuccess;
  });
}

SIMGPU_API int cufftDestroy(int handle) {
  return RunEntry<kSetupFailed>(FunctionOf<"cufft", "cufftDestroy">(), [&] {
    Plans& plans = ThePlans();
    const std::lock_guard lock(plans.mutex);
    return plans.by_handle.erase(handle) == 1 ? kSuccess : kInvalidPlan;
  });
}

SIMGPU_API int cufftSetStream(int handle, void* stream) {
  return WithPlan(FunctionOf<"cufft", "cufftSetStream">(), handle,
                  [&](Plan& plan) {
                    plan.stream = stream;
                    return kSuccess;
                  });
}

SIMGPU_API int cufftXtMakePlanMany(int handle, int rank, long long* sizes,
                                   long long*, long long, long long, int,
                                   long long*, long long, long long, int,
                                   long long batch, size_t* work_bytes, int) {
  return WithPlan(FunctionOf<"cufft", "cufftXtMakePlanMany">(), handle,
                  [&](Plan& plan) {
                    plan.elements = static_cast<double>(batch);
                    for (int i = 0; i < rank; ++i) {
                      plan.elements *= static_cast<double>(sizes[i]);
                    }
                    if (work_bytes != nullptr) *work_bytes = 0;
                    return kSuccess;
                  });
}

SIMGPU_API int cufftXtExec(int handle, void*, void*, int) {
  return WithPlan(FunctionOf<"cufft", "cufftXtExec">(), handle, [](Plan& plan) {
    return Launch(plan) == Error::kSuccess ? kSuccess : kExecFailed;
  });
}

}  // namespace dltap::simgpu
