// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "simgpu/torch/reduce_call.h"

namespace dltap::simgpu {
namespace {

struct Extreme {
  uint32_t place = 0;
  const std::byte* at = nullptr;
};

// Of equal ones the first, and a NaN before any number, as in torch.max().
template <typename C>
Extreme Find(const ReduceCall& call, uint32_t output, bool largest) {
  const std::byte* first = call.source + call.output_offsets.At(output)[1];
  Extreme found;
  C best = 0;
  for (uint32_t i = 0; i < call.inputs; ++i) {
    const std::byte* at = first + call.input_offsets.At(i)[0];
    const C value = LoadAs<C>(call.reduction.input, at);
    const bool better = largest ? value > best : value < best;
    if (i == 0 || (best == best && (better || value != value))) {
      best = value;
      found = {i, at};
    }
  }
  return found;
}

Extreme FindIn(const ReduceCall& call, uint32_t output, bool largest) {
  return ComputeIn(call.reduction.input, [&]<typename C>(C) {
    return Find<C>(call, output, largest);
  });
}

// Results beside those in the first output, of another size.
Range Second(const ReduceCall& call, ScalarType type) {
  const size_t bytes = SizeOf(call.reduction.output);
  return {call.second_destination, call.Output().bytes / bytes * SizeOf(type)};
}

std::byte* SecondAt(const ReduceCall& call, uint32_t output, ScalarType type) {
  return call.second_destination + call.output_offsets.At(output)[0] /
                                       SizeOf(call.reduction.output) *
                                       SizeOf(type);
}

std::byte* FirstAt(const ReduceCall& call, uint32_t output) {
  return call.destination + call.output_offsets.At(output)[0];
}

void Copy(const std::byte* from, ScalarType type, std::byte* to) {
  std::copy_n(from, SizeOf(type), to);
}

template <typename Compute>
void RunEach(const ReduceCall& call, ScalarType second, Compute compute) {
  const bool has_second = second != ScalarType::kUnknown;
  Permission permission = MayCompute(call.elements(), {call.Input()},
                                     call.Output(), call.reduction.input);
  if (has_second) permission.compute &= IsAllocated(Second(call, second));
  for (uint32_t i = 0; permission.compute && i < call.outputs; ++i) compute(i);
  MarkOutput(call.Output(), call.IsDense(), permission, call.reduction.output);
  if (has_second) {
    MarkOutput(Second(call, second), call.IsDense(), permission, second);
  }
}

template <bool kLargest>
void RunPlace(const ReduceCall& call) {
  RunEach(call, ScalarType::kUnknown, [&](uint32_t i) {
    StoreAs<int64_t>(call.reduction.output, FirstAt(call, i),
                     FindIn(call, i, kLargest).place);
  });
}

template <bool kLargest>
void RunValueAndPlace(const ReduceCall& call) {
  RunEach(call, ScalarType::kInt64, [&](uint32_t i) {
    const Extreme found = FindIn(call, i, kLargest);
    Copy(found.at, call.reduction.output, FirstAt(call, i));
    StoreAs<int64_t>(ScalarType::kInt64, SecondAt(call, i, ScalarType::kInt64),
                     found.place);
  });
}

void RunExtremes(const ReduceCall& call) {
  const ScalarType type = call.reduction.output;
  RunEach(call, type, [&](uint32_t i) {
    Copy(FindIn(call, i, false).at, type, FirstAt(call, i));
    Copy(FindIn(call, i, true).at, type, SecondAt(call, i, type));
  });
}

struct Row {
  std::string_view name;
  void (*run)(const ReduceCall& call);
};

constexpr Row kRows[] = {
    {"ArgMaxOps", RunPlace<true>},      {"ArgMinOps", RunPlace<false>},
    {"MaxOps", RunValueAndPlace<true>}, {"MinOps", RunValueAndPlace<false>},
    {"MinMaxOps", RunExtremes},
};

}  // namespace

RunReduction FindPlaceReduction(const NameParts& operation) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const Row& r) { return r.name == operation.name; });
  return row == std::end(kRows) ? RunReduction{} : row->run;
}

}  // namespace dltap::simgpu
