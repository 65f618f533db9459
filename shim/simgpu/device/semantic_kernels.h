// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTIC_KERNELS_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTIC_KERNELS_H_

#include <functional>

namespace dltap::simgpu {

struct Kernel;
struct LaunchParameters;

// The place of the few kernels that compute on the CPU from their real
// arguments, recognised by mangled name. The function returned does the work;
// empty: the kernel only takes time.
std::function<void()> SemanticEffect(const Kernel& kernel,
                                     const LaunchParameters& launch);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTIC_KERNELS_H_
