// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/blas_call.h"

#include <algorithm>
#include <cstring>

#include "simgpu/base/error.h"
#include "simgpu/cublas/blas_handle.h"
#include "simgpu/cublas/blas_types.h"
#include "simgpu/cublas/gemm_kernels.h"
#include "simgpu/cublas/lt_route.h"
#include "simgpu/cublas/vector_kernels.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool IsProduct(std::string_view routine) {
  constexpr std::string_view kProducts[] = {
      "gemm", "symm", "hemm", "trmm", "trsm", "syrk", "herk", "syr2k", "her2k"};
  return std::any_of(
      std::begin(kProducts), std::end(kProducts),
      [&](std::string_view p) { return StartsWith(routine, p); });
}

int64_t At(const void* array, int64_t index, bool wide) {
  return wide ? static_cast<const int64_t*>(array)[index]
              : static_cast<const int32_t*>(array)[index];
}

// The k of functions that have none: the size of the square operand.
int64_t InnerSize(const BlasArguments& arguments) {
  if (StartsWith(arguments.routine, "gemm")) return arguments.k;
  if (arguments.k > 0) return arguments.k;
  return arguments.right_side ? arguments.n : arguments.m;
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

Operation GemmOperation(const cublasContext& handle,
                        const BlasArguments& arguments) {
  Operation op{.kind = opmodel::OpKind::kGemm};
  op.storage = arguments.a_type >= 0
                   ? DTypeOf(static_cast<cudaDataType>(arguments.a_type))
                   : arguments.dtype;
  if (op.storage == DType::kUnknown) op.storage = DType::kF32;
  const auto compute =
      arguments.compute_type >= 0
          ? static_cast<cublasComputeType_t>(arguments.compute_type)
          : CUBLAS_COMPUTE_32F;
  op.math = MathOf(compute, op.storage, handle.math_mode);
  const bool rank_update = arguments.m == 0;  // syrk and its kin: C is n x n
  op[Dim::kBatch] = std::max<int64_t>(1, arguments.batch);
  op[Dim::kM] = rank_update ? arguments.n : arguments.m;
  op[Dim::kN] = arguments.n;
  op[Dim::kK] = InnerSize(arguments);
  op[Dim::kTransA] = arguments.trans_a;
  op[Dim::kTransB] = arguments.trans_b;
  return op;
}

int RunBlas(cublasContext* handle, const BlasArguments& arguments) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (arguments.m < 0 || arguments.n < 0 || arguments.k < 0 ||
      arguments.batch < 0 || arguments.group_count < 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (GoesThroughLt(*handle, arguments)) {
    return MultiplyThroughLt(*handle, arguments);
  }
  Error error = Launch(*handle, arguments);
  if (error == Error::kSuccess) error = WriteResult(*handle, arguments);
  return BlasStatus(error);
}

}  // namespace dltap::simgpu
