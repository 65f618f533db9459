// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>

#include "opmodel/streaming_time.h"
#include "simgpu/base/library_entry.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/rest/version_query.h"

// cuFFT's header comes only with its big wheel: prototypes by its public
// documentation (cufftHandle is an int; results are an enumeration).

namespace dltap::simgpu {
namespace {

enum Result : int {
  kSuccess = 0,
  kInvalidPlan = 1,
  kInvalidValue = 4,
  kExecFailed = 6,
  kSetupFailed = 7
};

// cufft.h of CUDA 13.0.
constexpr LibraryVersion kVersion{12, 0, 0, kInvalidValue};

struct Plan {
  void* stream = nullptr;
  double elements = 0;        // of all transforms of the batch
  double element_bytes = 16;  // read and written
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
  const double bytes = plan.elements * plan.element_bytes * passes;
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

// cufftType: a byte read and a byte written per byte of an element, of which
// real transforms have half on one side.
double ElementBytes(int type) {
  switch (type) {
    case 0x29: return 16;  // CUFFT_C2C
    case 0x69: return 32;  // CUFFT_Z2Z
    case 0x6a:             // CUFFT_D2Z
    case 0x6c: return 16;  // CUFFT_Z2D
    default: return 8;     // CUFFT_R2C, CUFFT_C2R
  }
}

// The sizes of one transform, and how many.
struct Transform {
  double elements;
  double batch;
  int type;
};

template <typename Int>
Transform Sized(int rank, const Int* sizes, int type, double batch) {
  Transform transform{1, batch, type};
  for (int i = 0; i < rank; ++i) {
    transform.elements *= static_cast<double>(sizes[i]);
  }
  return transform;
}

// Transforms work in place of their output: no work area is asked for.
Result Make(Plan& plan, const Transform& transform, size_t* work_bytes) {
  if (transform.elements < 1 || transform.batch < 1) return kInvalidValue;
  plan.elements = transform.elements * transform.batch;
  plan.element_bytes = ElementBytes(transform.type);
  if (work_bytes != nullptr) *work_bytes = 0;
  return kSuccess;
}

int MakePlan(ApiFunction& function, int handle, const Transform& transform,
             size_t* work_bytes) {
  return WithPlan(function, handle, [&](Plan& plan) {
    return Make(plan, transform, work_bytes);
  });
}

// cufftPlan1d and its kin: cufftCreate and cufftMakePlan in one.
int NewPlan(ApiFunction& function, int* handle, const Transform& transform) {
  return RunEntry<kSetupFailed>(function, [&] {
    Plan plan;
    if (handle == nullptr) return kInvalidValue;
    if (const Result result = Make(plan, transform, nullptr);
        result != kSuccess) {
      return result;
    }
    Plans& plans = ThePlans();
    const std::lock_guard lock(plans.mutex);
    *handle = ++plans.last_handle;
    plans.by_handle.emplace(*handle, plan);
    return kSuccess;
  });
}

int Execute(ApiFunction& function, int handle) {
  return WithPlan(function, handle, [](Plan& plan) {
    return Launch(plan) == Error::kSuccess ? kSuccess : kExecFailed;
  });
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

SIMGPU_API int cufftMakePlan1d(int handle, int nx, int type, int batch,
                               size_t* work_bytes) {
  return MakePlan(FunctionOf<"cufft", "cufftMakePlan1d">(), handle,
                  Sized(1, &nx, type, batch), work_bytes);
}

SIMGPU_API int cufftMakePlan2d(int handle, int nx, int ny, int type,
                               size_t* work_bytes) {
  const int sizes[] = {nx, ny};
  return MakePlan(FunctionOf<"cufft", "cufftMakePlan2d">(), handle,
                  Sized(2, sizes, type, 1), work_bytes);
}

SIMGPU_API int cufftMakePlan3d(int handle, int nx, int ny, int nz, int type,
                               size_t* work_bytes) {
  const int sizes[] = {nx, ny, nz};
  return MakePlan(FunctionOf<"cufft", "cufftMakePlan3d">(), handle,
                  Sized(3, sizes, type, 1), work_bytes);
}

SIMGPU_API int cufftMakePlanMany(int handle, int rank, int* sizes, int*, int,
                                 int, int*, int, int, int type, int batch,
                                 size_t* work_bytes) {
  return MakePlan(FunctionOf<"cufft", "cufftMakePlanMany">(), handle,
                  Sized(rank, sizes, type, batch), work_bytes);
}

SIMGPU_API int cufftMakePlanMany64(int handle, int rank, long long* sizes,
                                   long long*, long long, long long, long long*,
                                   long long, long long, int type,
                                   long long batch, size_t* work_bytes) {
  return MakePlan(FunctionOf<"cufft", "cufftMakePlanMany64">(), handle,
                  Sized(rank, sizes, type, static_cast<double>(batch)),
                  work_bytes);
}

SIMGPU_API int cufftPlan1d(int* handle, int nx, int type, int batch) {
  return NewPlan(FunctionOf<"cufft", "cufftPlan1d">(), handle,
                 Sized(1, &nx, type, batch));
}

SIMGPU_API int cufftPlan2d(int* handle, int nx, int ny, int type) {
  const int sizes[] = {nx, ny};
  return NewPlan(FunctionOf<"cufft", "cufftPlan2d">(), handle,
                 Sized(2, sizes, type, 1));
}

SIMGPU_API int cufftPlan3d(int* handle, int nx, int ny, int nz, int type) {
  const int sizes[] = {nx, ny, nz};
  return NewPlan(FunctionOf<"cufft", "cufftPlan3d">(), handle,
                 Sized(3, sizes, type, 1));
}

SIMGPU_API int cufftPlanMany(int* handle, int rank, int* sizes, int*, int, int,
                             int*, int, int, int type, int batch) {
  return NewPlan(FunctionOf<"cufft", "cufftPlanMany">(), handle,
                 Sized(rank, sizes, type, batch));
}

SIMGPU_API int cufftXtExec(int handle, void*, void*, int) {
  return Execute(FunctionOf<"cufft", "cufftXtExec">(), handle);
}

// Kinds with a direction (complex to complex) and without.
#define SIM_EXECUTE(KIND, ...)                                        \
  SIMGPU_API int cufftExec##KIND(int handle, void*,                   \
                                 void* __VA_OPT__(, ) __VA_ARGS__) {  \
    return Execute(FunctionOf<"cufft", "cufftExec" #KIND>(), handle); \
  }
SIM_EXECUTE(C2C, int)
SIM_EXECUTE(Z2Z, int)
SIM_EXECUTE(R2C)
SIM_EXECUTE(C2R)
SIM_EXECUTE(D2Z)
SIM_EXECUTE(Z2D)
#undef SIM_EXECUTE

SIMGPU_API int cufftGetVersion(int* version) {
  return AnswerVersion(FunctionOf<"cufft", "cufftGetVersion">(), kVersion,
                       version);
}

SIMGPU_API int cufftGetProperty(int type, int* value) {
  return AnswerProperty(FunctionOf<"cufft", "cufftGetProperty">(), kVersion,
                        type, value);
}

}  // namespace dltap::simgpu
