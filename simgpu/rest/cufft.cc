// SPDX-License-Identifier: Apache-2.0
#include <cufft.h>
#include <cufftXt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>

#include "opmodel/streaming_time.h"
#include "simgpu/base/library_entry.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/rest/version_query.h"

namespace dltap::simgpu {
namespace {

// cufft.h of CUDA 13.0.
constexpr LibraryVersion kVersion{12, 0, 0, CUFFT_INVALID_VALUE};

// A batch of transforms of so many points.
struct Transform {
  double points = 0;
  double batch = 0;
  cufftType type = CUFFT_C2C;
};

struct Plan {
  void* stream = nullptr;
  Transform transform;
};

struct Plans {
  std::mutex mutex;
  std::map<cufftHandle, Plan> by_handle;
  cufftHandle last_handle = 0;
};

Plans& ThePlans() {
  static auto* const plans = new Plans;
  return *plans;
}

template <typename Body>
cufftResult WithPlan(ApiFunction& function, cufftHandle handle, Body&& body) {
  return RunEntry<CUFFT_SETUP_FAILED>(function, [&] {
    Plans& plans = ThePlans();
    const std::lock_guard lock(plans.mutex);
    const auto found = plans.by_handle.find(handle);
    return found == plans.by_handle.end() ? CUFFT_INVALID_PLAN
                                          : body(found->second);
  });
}

bool IsDouble(cufftType type) {
  return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
}

bool IsComplex(cufftType type) {
  return type == CUFFT_C2C || type == CUFFT_Z2Z;
}

// Reads and writes of a point: of real transforms half on the complex side.
double BytesPerPoint(cufftType type) {
  return (IsComplex(type) ? 16 : 8) * (IsDouble(type) ? 2 : 1);
}

// 5 N log2 N operations, half of that of real transforms, and one way through
// memory for each 4096 points that a kernel keeps on the chip.
double TransformNs(const Transform& transform, const opmodel::GpuSpec& gpu) {
  const double stages = std::max(1.0, std::log2(transform.points));
  const double all = transform.points * transform.batch;
  const double flops = (IsComplex(transform.type) ? 5 : 2.5) * all * stages;
  const double rate = IsDouble(transform.type) ? gpu.fp64_flops_per_s
                                               : opmodel::SustainedFp32(gpu);
  const double bytes =
      all * BytesPerPoint(transform.type) * std::ceil(stages / 12);
  return std::max(opmodel::StreamingTime(bytes, gpu).ns, flops / rate * 1e9);
}

Error Launch(const Plan& plan) {
  const Transform& transform = plan.transform;
  const double bytes =
      transform.points * transform.batch * BytesPerPoint(transform.type);
  const double blocks = std::clamp(std::ceil(bytes / 4096), 1.0, 65535.0);
  return LaunchLibraryKernel(
      plan.stream,
      {.name = IsDouble(transform.type)
                   ? "void vector_fft<256u, EPT<16u>, 4u, 1u, (padding_t)1, "
                     "(twiddle_t)0, (loadstore_modifier_t)2, unsigned int, "
                     "double>(kernel_arguments_t<unsigned int>)"
                   : "void vector_fft<256u, EPT<16u>, 4u, 1u, (padding_t)1, "
                     "(twiddle_t)0, (loadstore_modifier_t)2, unsigned int, "
                     "float>(kernel_arguments_t<unsigned int>)",
       .grid = {static_cast<uint32_t>(blocks), 1, 1},
       .registers_per_thread = 48,
       .duration_ns =
           std::llround(TransformNs(transform, GpuOfStream(plan.stream)))});
}

template <typename Int>
Transform Sized(int rank, const Int* sizes, cufftType type, double batch) {
  Transform transform{1, batch, type};
  for (int i = 0; i < rank; ++i) {
    transform.points *= static_cast<double>(sizes[i]);
  }
  return transform;
}

// Half precision counts as single.
cufftType TypeOf(cudaDataType input, cudaDataType output) {
  const bool is_double = input == CUDA_R_64F || input == CUDA_C_64F;
  if (input == CUDA_R_16F || input == CUDA_R_32F || input == CUDA_R_64F) {
    return is_double ? CUFFT_D2Z : CUFFT_R2C;
  }
  if (output == CUDA_R_16F || output == CUDA_R_32F || output == CUDA_R_64F) {
    return is_double ? CUFFT_Z2D : CUFFT_C2R;
  }
  return is_double ? CUFFT_Z2Z : CUFFT_C2C;
}

// Transforms work in place of their output: no work area is asked for.
cufftResult Make(Plan& plan, const Transform& transform, size_t* work_bytes) {
  if (transform.points < 1 || transform.batch < 1) return CUFFT_INVALID_VALUE;
  plan.transform = transform;
  if (work_bytes != nullptr) *work_bytes = 0;
  return CUFFT_SUCCESS;
}

cufftResult MakePlan(ApiFunction& function, cufftHandle handle,
                     const Transform& transform, size_t* work_bytes) {
  return WithPlan(function, handle, [&](Plan& plan) {
    return Make(plan, transform, work_bytes);
  });
}

// cufftPlan1d and its kin: cufftCreate and cufftMakePlan in one.
cufftResult NewPlan(ApiFunction& function, cufftHandle* handle,
                    const Transform& transform) {
  return RunEntry<CUFFT_SETUP_FAILED>(function, [&] {
    Plan plan;
    if (handle == nullptr) return CUFFT_INVALID_VALUE;
    if (const cufftResult result = Make(plan, transform, nullptr);
        result != CUFFT_SUCCESS) {
      return result;
    }
    Plans& plans = ThePlans();
    const std::lock_guard lock(plans.mutex);
    *handle = ++plans.last_handle;
    plans.by_handle.emplace(*handle, plan);
    return CUFFT_SUCCESS;
  });
}

// Some transforms use their input as a work area.
cufftResult Execute(ApiFunction& function, cufftHandle handle, void* input,
                    void* output) {
  return WithPlan(function, handle, [&](Plan& plan) {
    const MayWrite writes({{input}, {output}});
    return Launch(plan) == Error::kSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
  });
}

}  // namespace

SIMGPU_API cufftResult cufftCreate(cufftHandle* handle) {
  return RunEntry<CUFFT_SETUP_FAILED>(FunctionOf<"cufft", "cufftCreate">(),
                                      [&] {
                                        if (handle == nullptr)
                                          return CUFFT_INVALID_VALUE;
                                        Plans& plans = ThePlans();
                                        const std::lock_guard lock(plans.mutex);
                                        *handle = ++plans.last_handle;
                                        plans.by_handle.try_emplace(*handle);
                                        return CUFFT_SUCCESS;
                                      });
}

SIMGPU_API cufftResult cufftDestroy(cufftHandle handle) {
  return RunEntry<CUFFT_SETUP_FAILED>(
      FunctionOf<"cufft", "cufftDestroy">(), [&] {
        Plans& plans = ThePlans();
        const std::lock_guard lock(plans.mutex);
        return plans.by_handle.erase(handle) == 1 ? CUFFT_SUCCESS
                                                  : CUFFT_INVALID_PLAN;
      });
}

SIMGPU_API cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  return WithPlan(FunctionOf<"cufft", "cufftSetStream">(), handle,
                  [&](Plan& plan) {
                    plan.stream = stream;
                    return CUFFT_SUCCESS;
                  });
}

SIMGPU_API cufftResult cufftXtMakePlanMany(
    cufftHandle handle, int rank, long long* sizes, long long*, long long,
    long long, cudaDataType input, long long*, long long, long long,
    cudaDataType output, long long batch, size_t* work_bytes, cudaDataType) {
  return MakePlan(
      FunctionOf<"cufft", "cufftXtMakePlanMany">(), handle,
      Sized(rank, sizes, TypeOf(input, output), static_cast<double>(batch)),
      work_bytes);
}

SIMGPU_API cufftResult cufftMakePlan1d(cufftHandle handle, int nx,
                                       cufftType type, int batch,
                                       size_t* work_bytes) {
  return MakePlan(FunctionOf<"cufft", "cufftMakePlan1d">(), handle,
                  Sized(1, &nx, type, batch), work_bytes);
}

SIMGPU_API cufftResult cufftMakePlan2d(cufftHandle handle, int nx, int ny,
                                       cufftType type, size_t* work_bytes) {
  const int sizes[] = {nx, ny};
  return MakePlan(FunctionOf<"cufft", "cufftMakePlan2d">(), handle,
                  Sized(2, sizes, type, 1), work_bytes);
}

SIMGPU_API cufftResult cufftMakePlan3d(cufftHandle handle, int nx, int ny,
                                       int nz, cufftType type,
                                       size_t* work_bytes) {
  const int sizes[] = {nx, ny, nz};
  return MakePlan(FunctionOf<"cufft", "cufftMakePlan3d">(), handle,
                  Sized(3, sizes, type, 1), work_bytes);
}

SIMGPU_API cufftResult cufftMakePlanMany(cufftHandle handle, int rank,
                                         int* sizes, int*, int, int, int*, int,
                                         int, cufftType type, int batch,
                                         size_t* work_bytes) {
  return MakePlan(FunctionOf<"cufft", "cufftMakePlanMany">(), handle,
                  Sized(rank, sizes, type, batch), work_bytes);
}

SIMGPU_API cufftResult cufftMakePlanMany64(cufftHandle handle, int rank,
                                           long long* sizes, long long*,
                                           long long, long long, long long*,
                                           long long, long long, cufftType type,
                                           long long batch,
                                           size_t* work_bytes) {
  return MakePlan(FunctionOf<"cufft", "cufftMakePlanMany64">(), handle,
                  Sized(rank, sizes, type, static_cast<double>(batch)),
                  work_bytes);
}

SIMGPU_API cufftResult cufftPlan1d(cufftHandle* handle, int nx, cufftType type,
                                   int batch) {
  return NewPlan(FunctionOf<"cufft", "cufftPlan1d">(), handle,
                 Sized(1, &nx, type, batch));
}

SIMGPU_API cufftResult cufftPlan2d(cufftHandle* handle, int nx, int ny,
                                   cufftType type) {
  const int sizes[] = {nx, ny};
  return NewPlan(FunctionOf<"cufft", "cufftPlan2d">(), handle,
                 Sized(2, sizes, type, 1));
}

SIMGPU_API cufftResult cufftPlan3d(cufftHandle* handle, int nx, int ny, int nz,
                                   cufftType type) {
  const int sizes[] = {nx, ny, nz};
  return NewPlan(FunctionOf<"cufft", "cufftPlan3d">(), handle,
                 Sized(3, sizes, type, 1));
}

SIMGPU_API cufftResult cufftPlanMany(cufftHandle* handle, int rank, int* sizes,
                                     int*, int, int, int*, int, int,
                                     cufftType type, int batch) {
  return NewPlan(FunctionOf<"cufft", "cufftPlanMany">(), handle,
                 Sized(rank, sizes, type, batch));
}

SIMGPU_API cufftResult cufftXtExec(cufftHandle handle, void* input,
                                   void* output, int) {
  return Execute(FunctionOf<"cufft", "cufftXtExec">(), handle, input, output);
}

// Kinds with a direction (complex to complex) and without.
#define SIM_EXECUTE(KIND, FROM, TO, ...)                                    \
  SIMGPU_API cufftResult cufftExec##KIND(cufftHandle handle, FROM* input,   \
                                         TO* output __VA_OPT__(, )          \
                                             __VA_ARGS__) {                 \
    return Execute(FunctionOf<"cufft", "cufftExec" #KIND>(), handle, input, \
                   output);                                                 \
  }
SIM_EXECUTE(C2C, cufftComplex, cufftComplex, int)
SIM_EXECUTE(Z2Z, cufftDoubleComplex, cufftDoubleComplex, int)
SIM_EXECUTE(R2C, cufftReal, cufftComplex)
SIM_EXECUTE(C2R, cufftComplex, cufftReal)
SIM_EXECUTE(D2Z, cufftDoubleReal, cufftDoubleComplex)
SIM_EXECUTE(Z2D, cufftDoubleComplex, cufftDoubleReal)
#undef SIM_EXECUTE

SIMGPU_API cufftResult cufftGetVersion(int* version) {
  return static_cast<cufftResult>(AnswerVersion(
      FunctionOf<"cufft", "cufftGetVersion">(), kVersion, version));
}

SIMGPU_API cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  return static_cast<cufftResult>(AnswerProperty(
      FunctionOf<"cufft", "cufftGetProperty">(), kVersion, type, value));
}

}  // namespace dltap::simgpu
