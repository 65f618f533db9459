// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/computation.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace dltap::simgpu {
namespace {

void Run(const Computation& computation) {
  const auto& outputs = computation.outputs;
  Permission permission = MayCompute(computation.elements, computation.inputs,
                                     outputs[0].range, computation.type);
  permission.compute &=
      std::all_of(outputs.begin(), outputs.end(),
                  [](const auto& output) { return IsAllocated(output.range); });
  if (permission.compute) computation.compute();
  for (const Computation::Output& output : outputs) {
    MarkOutput(output.range, output.dense, permission, output.type);
  }
}

}  // namespace

DecodedLaunch Computed(Computation computation) {
  if (computation.elements <= 0) return {};
  const auto shared =
      std::make_shared<const Computation>(std::move(computation));
  return WithEffect([shared] { Run(*shared); });
}

}  // namespace dltap::simgpu
