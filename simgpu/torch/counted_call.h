// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_LAUNCH_COST_H_
#define DLTAP_SIMGPU_TORCH_LAUNCH_COST_H_

#include <cstdint>

#include "opmodel/gpu_table.h"
#include "simgpu/base/launch_geometry.h"

namespace dltap::simgpu {

// What one launch of a kernel tells of its work besides its geometry. Both 0:
// nothing; the geometry has to do.
struct LaunchCost {
  double bytes = 0;         // moved to and from device memory
  int64_t duration_ns = 0;  // where the whole operation is known
};

struct LaunchView {
  void* const* arguments;  // as in cuLaunchKernel
  Dim3 grid;
  Dim3 block;
  const opmodel::GpuSpec& gpu;
};

// How the launches of one kernel are read; found by its name, once.
struct LaunchCostRule {
  LaunchCost (*read)(const LaunchCostRule& rule, const LaunchView& launch);
  const char* name;      // mangled, of the kernel
  double element_bytes;  // of the type that the name gives
  double operands;       // arrays of elements that a launch reads and writes
};

// By the table in launch_cost.cc: PyTorch's own kernels. Any other one's rule
// tells nothing. Lives for ever.
const LaunchCostRule* MakeLaunchCostRule(const char* mangled_name);

// Arguments given in one buffer (null here) tell nothing.
inline LaunchCost CostOfLaunch(const LaunchCostRule& rule,
                               const LaunchView& launch) {
  if (launch.arguments == nullptr) return {};
  return rule.read(rule, launch);
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_LAUNCH_COST_H_
