// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/calls/dtype_codes.h"

namespace dltap::analyzer {

using opmodel::DType;

DType DTypeOfDataCode(specs::Library library, int64_t code) {
  switch (library) {
    case specs::Library::kCudnn: return specs::DTypeOfCudnn(code);
    case specs::Library::kNccl: return specs::DTypeOfNccl(code);
    default: return specs::DTypeOfCuda(code);
  }
}

DType DTypeOfComputeCode(specs::Library library, int64_t code) {
  if (library != specs::Library::kCublas &&
      library != specs::Library::kCublaslt) {
    return DTypeOfDataCode(library, code);
  }
  const DType type = specs::DTypeOfCublasCompute(code);
  // The older interface passes a cudaDataType_t in the same place.
  return type != DType::kUnknown ? type : specs::DTypeOfCuda(code);
}

DType MathOf(DType storage, DType asked) {
  // Narrow inputs are multiplied as they are and added up in `asked`.
  if (opmodel::BitsOf(storage) != 0 && opmodel::BitsOf(storage) < 32) {
    return storage;
  }
  return asked == DType::kUnknown ? storage : asked;
}

}  // namespace dltap::analyzer
