// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/blas_call.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/cublas/blas_handle.h"
#include "simgpu/cublas/blas_types.h"
#include "simgpu/cublas/gemm_kernels.h"
#include "simgpu/cublas/gemm_operation.h"
#include "simgpu/cublas/lt_route.h"
#include "simgpu/cublas/vector_kernels.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

bool IsProduct(std::string_view routine) {
  constexpr std::string_view kProducts[] = {
      "gemm", "symm", "hemm", "trmm", "trsm", "syrk", "herk", "syr2k", "her2k"};
  return std::any_of(
      std::begin(kProducts), std::end(kProducts),
      [&](std::string_view p) { return routine.starts_with(p); });
}

int64_t At(const void* array, int64_t index, bool wide) {
  return wide ? static_cast<const int64_t*>(array)[index]
              : static_cast<const int32_t*>(array)[index];
}

Error LaunchGroups(cublasContext& handle, const BlasArguments& arguments) {
  for (int64_t i = 0; i < arguments.group_count; ++i) {
    BlasArguments group = arguments;
    group.m = At(arguments.m_array, i, arguments.wide_indices);
    group.n = At(arguments.n_array, i, arguments.wide_indices);
    group.k = At(arguments.k_array, i, arguments.wide_indices);
    group.batch = At(arguments.group_sizes, i, arguments.wide_indices);
    group.trans_a =
        IsTransposed(static_cast<int>(At(arguments.trans_a_array, i, false)));
    group.trans_b =
        IsTransposed(static_cast<int>(At(arguments.trans_b_array, i, false)));
    if (group.m == 0 || group.n == 0 || group.batch == 0) continue;
    const Error error = LaunchGemm(
        handle.stream,
        GemmLaunchOf(GemmOperation(handle, group), GpuOfStream(handle.stream)));
    if (error != Error::kSuccess) return error;
  }
  return Error::kSuccess;
}

Error Launch(cublasContext& handle, const BlasArguments& arguments) {
  if (arguments.group_count > 0) return LaunchGroups(handle, arguments);
  if (!IsProduct(arguments.routine)) {
    return LaunchVectorKernels(handle, arguments);
  }
  if (arguments.n == 0 || arguments.batch == 0) return Error::kSuccess;
  return LaunchGemm(handle.stream,
                    GemmLaunchOf(GemmOperation(handle, arguments),
                                 GpuOfStream(handle.stream)));
}

// A product with a vector, and what writes one vector, or one number.
bool WritesY(std::string_view routine) {
  return routine.starts_with("gemv") || routine.starts_with("axpy") ||
         routine.starts_with("copy");
}

Error LaunchVector(cublasContext& handle, const BlasArguments& arguments) {
  std::vector<WriteTarget> targets = {
      {handle.workspace, handle.workspace_bytes}};
  if (arguments.y != nullptr && WritesY(arguments.routine)) {
    targets.push_back({arguments.y, 0, NumberTypeOf(arguments.dtype)});
  } else if (arguments.result != nullptr) {
    targets.push_back({arguments.result, arguments.result_bytes,
                       NumberTypeOf(arguments.dtype)});
  } else {
    return Launch(handle, arguments);
  }
  const MayWrite writes(std::move(targets));
  return Launch(handle, arguments);
}

// A general product writes its C alone; batches by pointers have an array of
// them, and others more than one output.
Error LaunchKnown(cublasContext& handle, const BlasArguments& arguments) {
  const BlasArguments& x = arguments;
  if (x.ldc == 0) return LaunchVector(handle, arguments);
  const opmodel::DType type =
      x.c_type < 0 ? x.dtype : DTypeOf(static_cast<cudaDataType>(x.c_type));
  const int64_t elements = (x.batch - 1) * x.stride_c + (x.n - 1) * x.ldc + x.m;
  const MayWrite writes({{x.c,
                          static_cast<size_t>(std::max<int64_t>(elements, 0) *
                                              opmodel::BitsOf(type) / 8),
                          NumberTypeOf(type)},
                         {handle.workspace, handle.workspace_bytes}});
  return Launch(handle, arguments);
}

// Results in host memory: the call returns when they are there.
Error WriteResult(cublasContext& handle, const BlasArguments& arguments) {
  if (arguments.info != nullptr) *arguments.info = 0;
  if (arguments.result == nullptr ||
      handle.pointer_mode != CUBLAS_POINTER_MODE_HOST ||
      IsDeviceMemory(arguments.result)) {
    return Error::kSuccess;
  }
  Stream* stream = ResolveStream(handle.stream);
  if (stream == nullptr) return Error::kInvalidHandle;
  const Error error = SynchronizeStream(*stream);
  if (error == Error::kSuccess) {
    std::memset(arguments.result, 0, arguments.result_bytes);
  }
  return error;
}

}  // namespace

int RunBlas(cublasContext* handle, const BlasArguments& arguments) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (arguments.m < 0 || arguments.n < 0 || arguments.k < 0 ||
      arguments.batch < 0 || arguments.group_count < 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (GoesThroughLt(*handle, arguments)) {
    return MultiplyThroughLt(*handle, arguments);
  }
  Error error = LaunchKnown(*handle, arguments);
  if (error == Error::kSuccess) error = WriteResult(*handle, arguments);
  return BlasStatus(error);
}

}  // namespace dltap::simgpu
