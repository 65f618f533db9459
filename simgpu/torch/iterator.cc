// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/iterator.h"

#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/kernel_name.h"

namespace dltap::simgpu {
namespace {

ScalarType PointedTo(std::string_view pointer) {
  if (!pointer.ends_with('*')) return ScalarType::kUnknown;
  pointer.remove_suffix(1);
  constexpr std::string_view kConst = " const";
  if (pointer.ends_with(kConst)) pointer.remove_suffix(kConst.size());
  return ScalarTypeNamed(pointer);
}

// Operations that make 0 of zero and 1 of anything else.
bool IsTest(std::string_view operation) {
  return operation == "NonZeroOp" || operation == "CountMaskOp";
}

}  // namespace

std::optional<Iterator> FindIterator(std::string_view name) {
  Iterator found{Iterator::Kind::kPointer, PointedTo(name)};
  const NameParts parts = TakeApart(name);
  const bool is_old = parts.name == "TransformInputIterator";
  const size_t test = is_old ? 1 : 0;  // before it: what it gives
  if ((parts.name == "counting_iterator" ||
       parts.name == "CountingInputIterator") &&
      !parts.arguments.empty()) {
    found = {Iterator::Kind::kCounting, ScalarTypeNamed(parts.arguments[0])};
  } else if ((is_old || parts.name == "transform_iterator") &&
             parts.arguments.size() >= test + 2 &&
             IsTest(TakeApart(parts.arguments[test]).name)) {
    found = {Iterator::Kind::kNonZero, PointedTo(parts.arguments[test + 1]),
             is_old ? sizeof(void*) : 0};
  }
  if (!IsComputed(found.type)) return std::nullopt;
  return found;
}

Range BoundIterator::RangeOf(int64_t elements) const {
  if (iterator.kind == Iterator::Kind::kCounting) return {};
  return {reinterpret_cast<std::byte*>(value),
          static_cast<size_t>(elements) * SizeOf(iterator.type), iterator.type};
}

BoundIterator Bind(const Iterator& iterator, const void* argument) {
  const std::byte* value = Bytes(argument) + iterator.value_at;
  return {iterator, iterator.kind == Iterator::Kind::kCounting
                        ? LoadAs<int64_t>(iterator.type, value)
                        : ReadAt<int64_t>(value)};
}

int64_t ReadCount(std::string_view type, const void* argument) {
  if (type == "int") return ReadAt<int32_t>(argument);
  if (type == "unsigned int") return ReadAt<uint32_t>(argument);
  return ReadAt<int64_t>(argument);
}

}  // namespace dltap::simgpu
