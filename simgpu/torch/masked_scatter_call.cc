// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <string_view>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

// What the name tells of a kernel.
struct Kernel {
  ScalarType type;
  size_t element_bytes;
};

// vectorized_elementwise_kernel(int n, {T const* source}, array<char*, 4>:
// result, self, mask, how many of the mask come before): where the mask is
// true, the next element of the source.
DecodedLaunch Decode(const Kernel& kernel, const LaunchView& launch) {
  const size_t bytes = kernel.element_bytes;
  const int64_t count = ReadAt<int32_t>(launch.arguments[0]);
  if (count < 1) return {};
  const auto* source = ReadAt<const std::byte*>(launch.arguments[1]);
  const auto array = [&](size_t i, size_t element_bytes) {
    return Range{ReadAt<std::byte*>(Bytes(launch.arguments[2]) + i * 8),
                 static_cast<size_t>(count) * element_bytes};
  };
  const Range result = array(0, bytes);
  const Range self = array(1, bytes);
  const Range mask = array(2, 1);
  const Range before = array(3, sizeof(int64_t));
  return Computed(
      {.elements = count,
       .type = kernel.type,
       .inputs = {self, mask, before, {const_cast<std::byte*>(source), bytes}},
       .outputs = {{result, kernel.type}},
       .compute = [=] {
         for (int64_t i = 0; i < count; ++i) {
           const size_t at = static_cast<size_t>(i) * bytes;
           const std::byte* from = self.data + at;
           if (ReadAt<bool>(mask.data + i)) {
             const auto place = ReadAt<int64_t>(before.data + i * 8);
             if (place < 0 || place >= count) continue;
             from = source + static_cast<size_t>(place) * bytes;
             if (!IsAllocated({const_cast<std::byte*>(from), bytes})) continue;
           }
           std::memmove(result.data + at, from, bytes);
         }
       }});
}

}  // namespace

Decoder MaskedScatterDecoder(const NameParts& function) {
  if (function.lambdas.empty() ||
      function.lambdas.back().parameters.size() != 3) {
    return {};
  }
  const std::string_view type = function.lambdas.back().parameters[0];
  const Kernel found{.type = ScalarTypeNamed(type),
                     .element_bytes = SizeOfNamed(type)};
  if (found.element_bytes == 0 || found.element_bytes > 8) return {};
  return DecodeBy(Decode, found);
}

}  // namespace dltap::simgpu
