// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_LT_ROUTE_H_
#define DLTAP_SIMGPU_CUBLAS_LT_ROUTE_H_

#include "simgpu/cublas/blas_arguments.h"

struct cublasContext;  // blas_handle.h

namespace dltap::simgpu {

// The vendor's cuBLAS has cuBLASLt do a part of its products (it imports
// cublasLtMatmul): an interposer sees that call inside its own.
bool GoesThroughLt(const cublasContext& handle, const BlasArguments& arguments);

// Calls the exported cublasLtMatmul() as any program would. Returns a
// cublasStatus_t. REQUIRES: GoesThroughLt().
int MultiplyThroughLt(cublasContext& handle, const BlasArguments& arguments);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_LT_ROUTE_H_
