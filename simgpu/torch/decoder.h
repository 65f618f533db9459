// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_SEMANTIC_KERNELS_H_
#define DLTAP_SIMGPU_TORCH_SEMANTIC_KERNELS_H_

namespace dltap::simgpu {

struct Kernel;
struct KernelWork;
struct LaunchParameters;

// Sets the effect (work.h) of the few kernels that compute on the CPU from
// their real arguments (semantics/), recognised by name at the first launch of
// each. Without one a kernel only takes time, and what it wrote is not known.
void SetSemanticEffect(const Kernel& kernel, const LaunchParameters& launch,
                       KernelWork* work);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_SEMANTIC_KERNELS_H_
