// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_NODE_KERNEL_H_
#define DLTAP_SIMGPU_LAUNCH_NODE_KERNEL_H_

#include "simgpu/launch/kernel.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// The handle that stands for a node's kernel: its own, or for a library's
// kernel, which has none, one made for its name.
Kernel* KernelOfNode(const KernelWork& work);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_NODE_KERNEL_H_
