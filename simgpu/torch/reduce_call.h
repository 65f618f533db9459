// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_REDUCE_CALL_H_
#define DLTAP_SIMGPU_TORCH_REDUCE_CALL_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

// What the name of a reduce_kernel tells.
struct Reduction {
  ScalarType input = ScalarType::kUnknown;
  ScalarType sum = ScalarType::kUnknown;
  ScalarType output = ScalarType::kUnknown;
};

// One launch of it.
struct ReduceCall {
  Reduction reduction;
  uint32_t inputs = 0;  // of each output
  uint32_t outputs = 0;
  Offsets input_offsets;   // of an input from the first of its output
  Offsets output_offsets;  // of an output, and of its first input
  std::byte* source = nullptr;
  std::byte* destination = nullptr;
  std::byte* second_destination = nullptr;  // of some operations
  double factor = 1;  // what the operation's object begins with
  bool flag = false;  // and what follows it there

  int64_t elements() const { return int64_t{inputs} * outputs; }
  Range Input() const {
    return {source,
            input_offsets.Extent(0, SizeOf(reduction.input)) +
                output_offsets.Extent(1, 0),
            reduction.input};
  }
  Range Output() const {
    return {destination, output_offsets.Extent(0, SizeOf(reduction.output))};
  }
  bool IsDense() const {
    return Output().bytes == size_t{outputs} * SizeOf(reduction.output);
  }
};

// Carries one launch out. By the name of its operation; empty: another one.
using RunReduction = std::function<void(const ReduceCall& call)>;
// Element by element into a sum, or what stands for one (reduce_steps.cc).
RunReduction FindStepReduction(const NameParts& operation,
                               const Reduction& reduction);
// Standard deviation and variance, with the mean or without (reduce_spread.cc).
RunReduction FindSpreadReduction(const NameParts& operation,
                                 const Reduction& reduction);
// The place of the largest or smallest, it and its place, or both extremes
// (reduce_places.cc).
RunReduction FindPlaceReduction(const NameParts& operation);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_REDUCE_CALL_H_
