// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/gemm_operation.h"

#include <algorithm>

#include "simgpu/cublas/blas_handle.h"
#include "simgpu/cublas/blas_types.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;

// The k of functions that have none: the size of the square operand.
int64_t InnerSize(const BlasArguments& arguments) {
  if (arguments.routine.starts_with("gemm")) return arguments.k;
  if (arguments.k > 0) return arguments.k;
  return arguments.right_side ? arguments.n : arguments.m;
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

}  // namespace dltap::simgpu
