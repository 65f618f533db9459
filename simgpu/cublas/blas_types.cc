// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/blas_types.h"

namespace dltap::simgpu {

using opmodel::DType;

DType DTypeOf(cudaDataType type) { return specs::DTypeOfCuda(type); }

NumberType NumberTypeOf(DType type) {
  switch (type) {
    case DType::kF16: return NumberType::kFloat16;
    case DType::kBf16: return NumberType::kBfloat16;
    case DType::kF32: return NumberType::kFloat32;
    case DType::kF64: return NumberType::kFloat64;
    default: return NumberType::kUnknown;
  }
}

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
