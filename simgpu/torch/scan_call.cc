// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

// `outer` x `size` x `inner` elements; the scan goes along `size`.
struct Shape {
  int64_t outer;
  int64_t size;
  int64_t inner;

  int64_t elements() const { return outer * size * inner; }
  bool IsPossible() const {
    return outer > 0 && size > 0 && inner > 0 && elements() <= INT32_MAX;
  }
};

enum class Operation : uint8_t { kNone, kAdd, kMultiply, kLargest, kSmallest };

Operation FindOperation(std::string_view functor) {
  const std::string_view name = TakeApart(functor).name;
  if (name == "plus") return Operation::kAdd;
  if (name == "multiplies") return Operation::kMultiply;
  if (name == "greater_equal") return Operation::kLargest;
  if (name == "less_equal") return Operation::kSmallest;
  return Operation::kNone;
}

// Of a running maximum or minimum: the value takes its place. Of equal ones the
// last counts, and a NaN stays.
template <typename C>
bool Replaces(Operation operation, C sum, C value) {
  if (value != value) return true;
  return operation == Operation::kLargest ? value >= sum : value <= sum;
}

struct Call {
  Shape shape;
  Operation operation;
  ScalarType type;
  std::byte* from;
  std::byte* to;
  std::byte* places;  // int64_t, of the largest or smallest; null: none
};

template <typename C>
void ScanLine(const Call& call, int64_t first) {
  const auto bytes = static_cast<int64_t>(SizeOf(call.type));
  C sum = 0;
  int64_t place = 0;
  for (int64_t i = 0; i < call.shape.size; ++i) {
    const int64_t at = first + i * call.shape.inner;
    const C value = LoadAs<C>(call.type, call.from + at * bytes);
    if (i > 0 && call.operation == Operation::kAdd) {
      sum += value;
    } else if (i > 0 && call.operation == Operation::kMultiply) {
      sum *= value;
    } else if (i == 0 || Replaces(call.operation, sum, value)) {
      sum = value;
      place = i;
    }
    StoreAs<C>(call.type, call.to + at * bytes, sum);
    if (call.places != nullptr) {
      StoreAs<int64_t>(ScalarType::kInt64, call.places + at * 8, place);
    }
  }
}

void Compute(const Call& call) {
  ComputeIn(call.type, [&]<typename C>(C) {
    for (int64_t outer = 0; outer < call.shape.outer; ++outer) {
      for (int64_t inner = 0; inner < call.shape.inner; ++inner) {
        ScanLine<C>(call, outer * call.shape.size * call.shape.inner + inner);
      }
    }
  });
}

DecodedLaunch Decoded(const Call& call) {
  if (!call.shape.IsPossible()) return {};
  const auto elements = static_cast<size_t>(call.shape.elements());
  const size_t bytes = elements * SizeOf(call.type);
  Computation computation{.elements = call.shape.elements(),
                          .type = call.type,
                          .inputs = {{call.from, bytes, call.type}},
                          .outputs = {{{call.to, bytes}, call.type}},
                          .compute = [call] { Compute(call); }};
  if (call.places != nullptr) {
    computation.outputs.push_back(
        {{call.places, elements * 8}, ScalarType::kInt64});
  }
  return Computed(std::move(computation));
}

// What the name tells of a kernel.
struct Scan {
  Operation operation;
  ScalarType type;
  bool with_places;
  bool innermost;
};

// innermost (T* to, T const* from, uint rows, uint size, ...)
// outer     (T* to, T const* from, uint outer, uint inner, uint size, ...)
// with places (T const* from, T* to, int64_t* places, int ...)
DecodedLaunch Decode(const Scan& scan, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const size_t first = scan.with_places ? 3 : 2;
  const auto number = [&](size_t i) -> int64_t {
    return ReadAt<uint32_t>(arguments[first + i]);
  };
  const Shape shape = scan.innermost ? Shape{number(0), number(1), 1}
                                     : Shape{number(0), number(2), number(1)};
  const size_t from = scan.with_places ? 0 : 1;
  return Decoded({.shape = shape,
                  .operation = scan.operation,
                  .type = scan.type,
                  .from = ReadAt<std::byte*>(arguments[from]),
                  .to = ReadAt<std::byte*>(arguments[1 - from]),
                  .places = scan.with_places ? ReadAt<std::byte*>(arguments[2])
                                             : nullptr});
}

}  // namespace

Decoder ScanDecoder(const NameParts& kernel) {
  if (kernel.arguments.size() < 2) return {};
  const Scan scan{
      .operation = FindOperation(kernel.arguments.back()),
      .type = ScalarTypeNamed(kernel.arguments[0]),
      .with_places = kernel.name.ends_with("_with_indices"),
      .innermost = kernel.name.starts_with("tensor_kernel_scan_innermost_dim")};
  const bool is_place = scan.operation == Operation::kLargest ||
                        scan.operation == Operation::kSmallest;
  if (scan.operation == Operation::kNone || scan.with_places != is_place ||
      !IsComputed(scan.type)) {
    return {};
  }
  return DecodeBy(Decode, scan);
}

}  // namespace dltap::simgpu
