// SPDX-License-Identifier: Apache-2.0
#include "opmodel/operation.h"

namespace dltap::opmodel {

int BitsOf(DType type) {
  switch (type) {
    case DType::kUnknown: return 0;
    case DType::kF4E2M1: return 4;
    case DType::kF8E4M3:
    case DType::kF8E5M2:
    case DType::kI8:
    case DType::kU8:
    case DType::kBool: return 8;
    case DType::kF16:
    case DType::kBf16:
    case DType::kI16: return 16;
    case DType::kF32:
    case DType::kTf32:
    case DType::kI32: return 32;
    case DType::kF64:
    case DType::kI64:
    case DType::kC64: return 64;
    case DType::kC128: return 128;
  }
  return 0;
}

}  // namespace dltap::opmodel
