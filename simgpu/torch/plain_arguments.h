// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_PLAIN_ARGUMENTS_H_
#define DLTAP_SIMGPU_TORCH_PLAIN_ARGUMENTS_H_

#include <algorithm>
#include <cstdint>

#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

// Parameters that are arrays or sizes, by their numbers.

inline int64_t Integer(const LaunchView& launch, size_t parameter) {
  return ReadAt<int64_t>(launch.arguments[parameter]);
}

inline Range Array(const LaunchView& launch, size_t parameter, int64_t elements,
                   ScalarType type) {
  return {ReadAt<std::byte*>(launch.arguments[parameter]),
          static_cast<size_t>(std::max<int64_t>(elements, 0)) * SizeOf(type)};
}

inline int64_t IntegerAt(const Range& array, int64_t i) {
  return ReadAt<int64_t>(array.data + i * 8);
}

inline void SetInteger(const Range& array, int64_t i, int64_t value) {
  StoreAs<int64_t>(ScalarType::kInt64, array.data + i * 8, value);
}

inline bool IsCount(int64_t number) {
  return number > 0 && number <= INT32_MAX;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_PLAIN_ARGUMENTS_H_
