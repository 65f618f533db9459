// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/blas_types.h"

namespace dltap::simgpu {

using opmodel::DType;

DType DTypeOf(cudaDataType type) { return specs::DTypeOfCuda(type); }

DType MathOf(cublasComputeType_t compute, DType storage, cublasMath_t mode) {
  if (storage != DType::kF32) return storage;
  switch (compute) {
    case CUBLAS_COMPUTE_32F_FAST_TF32: return DType::kTf32;
    case CUBLAS_COMPUTE_32F_FAST_16F: return DType::kF16;
    case CUBLAS_COMPUTE_32F_FAST_16BF: return DType::kBf16;
    case CUBLAS_COMPUTE_32F_PEDANTIC: return DType::kF32;
    default: break;
  }
  const bool tf32 = (mode & 0xf) == CUBLAS_TF32_TENSOR_OP_MATH;
  return tf32 ? DType::kTf32 : DType::kF32;
}

}  // namespace dltap::simgpu
