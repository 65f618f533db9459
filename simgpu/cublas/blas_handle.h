// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_BLAS_HANDLE_H_
#define DLTAP_SIMGPU_CUBLAS_BLAS_HANDLE_H_

#include <cublas_v2.h>

#include <cstddef>

#include "simgpu/base/error.h"

// What a cublasHandle_t points to. Like the vendor's, not for use by two
// threads at once.
struct cublasContext {
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;  // null: the library's own
  size_t workspace_bytes = 0;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  int sm_count_target = 0;
};

namespace dltap::simgpu {

cublasStatus_t BlasStatus(Error error);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_BLAS_HANDLE_H_
