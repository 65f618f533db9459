// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "simgpu/torch/reduce_call.h"

namespace dltap::simgpu {
namespace {

struct Spread {
  double mean = 0;
  double squares = 0;  // of the distances from it
};

// Welford's, as PyTorch's own.
Spread SpreadOf(const ReduceCall& call, const std::byte* first) {
  Spread spread;
  for (uint32_t i = 0; i < call.inputs; ++i) {
    const auto value = LoadAs<double>(call.reduction.input,
                                      first + call.input_offsets.At(i)[0]);
    const double distance = value - spread.mean;
    spread.mean += distance / (i + 1);
    spread.squares += distance * (value - spread.mean);
  }
  return spread;
}

// WelfordOps {T correction; bool takes the root}: one result, or the mean as
// well.
void Run(const ReduceCall& call) {
  const ScalarType type = call.reduction.output;
  const bool has_mean = call.second_destination != nullptr;
  Range output = call.Output();
  Range mean{call.second_destination, has_mean ? output.bytes : 0};
  Permission permission =
      MayCompute(call.elements(), {call.Input()}, output, call.reduction.input);
  permission.compute = permission.compute && (!has_mean || IsAllocated(mean));
  for (uint32_t i = 0; permission.compute && i < call.outputs; ++i) {
    const auto base = call.output_offsets.At(i);
    const Spread spread = SpreadOf(call, call.source + base[1]);
    const double variance =
        spread.squares / std::max(0.0, call.inputs - call.factor);
    StoreAs<double>(type, call.destination + base[0],
                    call.flag ? std::sqrt(variance) : variance);
    if (has_mean) StoreAs<double>(type, mean.data + base[0], spread.mean);
  }
  MarkOutput(output, call.IsDense(), permission, type);
  if (has_mean) MarkOutput(mean, call.IsDense(), permission, type);
}

}  // namespace

RunReduction FindSpreadReduction(const NameParts& operation,
                                 const Reduction& reduction) {
  if (operation.name != "WelfordOps" || !IsReal(reduction.input) ||
      !IsReal(reduction.sum) || !IsReal(reduction.output)) {
    return {};
  }
  return Run;
}

}  // namespace dltap::simgpu
