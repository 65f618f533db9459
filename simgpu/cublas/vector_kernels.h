// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_VECTOR_KERNELS_H_
#define DLTAP_SIMGPU_CUBLAS_VECTOR_KERNELS_H_

#include "simgpu/base/error.h"
#include "simgpu/cublas/blas_arguments.h"

struct cublasContext;  // blas_handle.h

namespace dltap::simgpu {

// The kernels of everything that is no matrix-matrix product: vector and
// matrix-vector functions, batched factorisations, transpositions. Their time
// is that of the memory they touch.
Error LaunchVectorKernels(const cublasContext& handle,
                          const BlasArguments& arguments);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_VECTOR_KERNELS_H_
