// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_BLAS_CALL_H_
#define DLTAP_SIMGPU_CUBLAS_BLAS_CALL_H_

#include "simgpu/cublas/blas_arguments.h"

// The vendor's type: blas_handle.h. This header includes none of the vendor's,
// since cublas.h and cublas_v2.h exclude each other.
struct cublasContext;

namespace dltap::simgpu {

// Checks, launches the kernels, and writes results to host memory. Returns a
// cublasStatus_t.
int RunBlas(cublasContext* handle, const BlasArguments& arguments);

// The handle behind the functions of cublas.h, which take none.
cublasContext& LegacyBlasHandle();
void SetLegacyBlasStream(void* stream);

constexpr int kBlasNotInitialized = 1;  // CUBLAS_STATUS_NOT_INITIALIZED

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_BLAS_CALL_H_
