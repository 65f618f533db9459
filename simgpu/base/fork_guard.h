// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_FORK_GUARD_H_
#define DLTAP_SIMGPU_BASE_FORK_GUARD_H_

namespace dltap::simgpu {

// Runs in the child after fork(2), in the order of registration. The handler
// may not allocate.
void AddForkChildHandler(void (*handler)());

// CUDA cannot be used in the child of a process that had initialised it: from
// MarkInitialized() on, a forked child sees IsOrphan() true for ever.
void MarkInitialized();
bool IsOrphan();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_FORK_GUARD_H_
