// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_CUBLAS_VECTOR_KERNELS_H_
#define DLTAP_SHIM_SIMGPU_CUBLAS_VECTOR_KERNELS_H_

#include "shim/simgpu/cublas/blas_call.h"
#include "shim/simgpu/device/error.h"

namespace dltap::simgpu {

// The kernels of everything that is no matrix-matrix product: vector and
// matrix-vector functions, batched factorisations, transpositions. Their time
// is that of the memory they touch.
Error LaunchVectorKernels(const cublasContext& handle,
                          const BlasArguments& arguments);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_CUBLAS_VECTOR_KERNELS_H_
