// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_GEMM_OPERATION_H_
#define DLTAP_SIMGPU_CUBLAS_GEMM_OPERATION_H_

#include "opmodel/operation.h"
#include "simgpu/cublas/blas_arguments.h"

struct cublasContext;  // blas_handle.h

namespace dltap::simgpu {

// The product `arguments` stand for, in opmodel's terms.
opmodel::Operation GemmOperation(const cublasContext& handle,
                                 const BlasArguments& arguments);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_GEMM_OPERATION_H_
