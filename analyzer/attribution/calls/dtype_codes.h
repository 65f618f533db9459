// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_CALLS_DTYPE_CODES_H_
#define DLTAP_ANALYZER_ATTRIBUTION_CALLS_DTYPE_CODES_H_

#include <cstdint>

#include "opmodel/operation.h"
#include "vocabulary.h"

namespace dltap::analyzer {

// The vendors' enumerators as recorded calls carry them: cudaDataType_t
// (library_types.h) for cuBLAS(Lt), cudnnDataType_t, ncclDataType_t (nccl.h).
opmodel::DType DTypeOfDataCode(specs::Library library, int64_t code);

// cublasComputeType_t (cublas_api.h); for other libraries as the data code.
opmodel::DType DTypeOfComputeCode(specs::Library library, int64_t code);

// The arithmetic done on `storage`, given what the call asked for. Without
// word of TF32 an F32 product is F32.
opmodel::DType MathOf(opmodel::DType storage, opmodel::DType asked);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_CALLS_DTYPE_CODES_H_
