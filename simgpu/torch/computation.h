// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_COMPUTATION_H_
#define DLTAP_SIMGPU_TORCH_COMPUTATION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

// What a launch computes: where it reads and writes, and how its outputs
// follow from its inputs.
struct Computation {
  struct Output {
    Range range;
    ScalarType type = ScalarType::kUnknown;
    bool dense = true;
  };

  int64_t elements = 0;                    // what it costs
  ScalarType type = ScalarType::kUnknown;  // of the inputs
  std::vector<Range> inputs;  // with what is left of the outputs as it was
  std::vector<Output> outputs;
  std::function<void()> compute;
};

// Carries it out by the rules of MayCompute() and MarkOutput(). Nothing, where
// it has no elements.
DecodedLaunch Computed(Computation computation);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_COMPUTATION_H_
