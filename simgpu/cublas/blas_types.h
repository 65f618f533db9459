// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_BLAS_TYPES_H_
#define DLTAP_SIMGPU_CUBLAS_BLAS_TYPES_H_

#include <cublas_api.h>
#include <library_types.h>

#include "opmodel/operation.h"
#include "simgpu/bytes/plausible_values.h"

namespace dltap::simgpu {

// kUnknown for types that opmodel does not know.
opmodel::DType DTypeOf(cudaDataType type);

// As what its numbers read where nobody computed them.
NumberType NumberTypeOf(opmodel::DType type);

// The arithmetic that cuBLAS picks for a product of `storage` elements.
opmodel::DType MathOf(cublasComputeType_t compute, opmodel::DType storage,
                      cublasMath_t mode);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_BLAS_TYPES_H_
