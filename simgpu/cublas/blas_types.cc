// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/blas_types.h"

namespace dltap::simgpu {

using opmodel::DType;

DType DTypeOf(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F: return DType::kF16;
    case CUDA_R_16BF: return DType::kBf16;
    case CUDA_R_32F: return DType::kF32;
    case CUDA_R_64F: return DType::kF64;
    case CUDA_C_32F: return DType::kC64;
    case CUDA_C_64F: return DType::kC128;
    case CUDA_R_8I: return DType::kI8;
    case CUDA_R_8U: return DType::kU8;
    case CUDA_R_32I: return DType::kI32;
    case CUDA_R_64I: return DType::kI64;
    case CUDA_R_8F_E4M3: return DType::kF8E4M3;
    case CUDA_R_8F_E5M2: return DType::kF8E5M2;
    case CUDA_R_4F_E2M1: return DType::kF4E2M1;
    default: return DType::kUnknown;
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
