// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SEMANTIC_KERNELS_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SEMANTIC_KERNELS_H_

#include <functional>

namespace dltap::simgpu {

struct Kernel;
struct LaunchParameters;

// What the few kernels do that compute on the CPU from their real arguments
// (semantics/), recognised by name at the first launch of each. The function
// returned does the work; empty: the kernel only takes time, and what it wrote
// is not known.
std::function<void()> SemanticEffect(const Kernel& kernel,
                                     const LaunchParameters& launch);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_SEMANTIC_KERNELS_H_
