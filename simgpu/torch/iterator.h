// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_ITERATOR_H_
#define DLTAP_SIMGPU_TORCH_ITERATOR_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

// What CUB reads from or writes to: "float const*", a counting_iterator<long>,
// a transform_iterator<NonZeroOp<float>, float const*>, or of CountMaskOp. Of
// Thrust, or CUB's own as before CUDA 13: CountingInputIterator<long, long>,
// TransformInputIterator<bool, NonZeroOp<float>, float const*, long>, which
// holds its operation before the pointer.
struct Iterator {
  enum class Kind : uint8_t { kPointer, kCounting, kNonZero };
  Kind kind;
  ScalarType type;      // of the elements in memory; of a counter
  size_t value_at = 0;  // bytes into the argument
};

// nullopt: another kind, or of elements that are not computed with here.
std::optional<Iterator> FindIterator(std::string_view name);

// An iterator with its value in one launch: an address or a count.
struct BoundIterator {
  Iterator iterator;
  int64_t value;

  Range RangeOf(int64_t elements) const;
  template <typename C>
  C Load(int64_t index) const {
    if (iterator.kind == Iterator::Kind::kCounting) {
      return static_cast<C>(value + index);
    }
    const C element = LoadAs<C>(
        iterator.type, reinterpret_cast<const std::byte*>(value) +
                           static_cast<size_t>(index) * SizeOf(iterator.type));
    return iterator.kind == Iterator::Kind::kNonZero ? element != 0 : element;
  }
  template <typename C>
  void Store(int64_t index, C element) const {
    StoreAs<C>(iterator.type,
               reinterpret_cast<std::byte*>(value) +
                   static_cast<size_t>(index) * SizeOf(iterator.type),
               element);
  }
};

BoundIterator Bind(const Iterator& iterator, const void* argument);

// An element count: "int", "unsigned int", or one of eight bytes.
int64_t ReadCount(std::string_view type, const void* argument);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_ITERATOR_H_
