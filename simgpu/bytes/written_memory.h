// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_WRITTEN_MEMORY_H_
#define DLTAP_SIMGPU_BYTES_WRITTEN_MEMORY_H_

#include <cstddef>

namespace dltap::simgpu {

// Which bytes of device memory hold what a GPU would have left there. Such
// bytes are fresh: a copy, a memset, a library's result or a kernel that
// computes wrote them, and no kernel whose output is unknown came after the
// write and before the work that asks (work_order.h). Thread-safe.

void MarkFresh(const void* address, size_t bytes);

// Fresh also after kernels whose output is unknown: for the few bytes that a
// program keeps to itself for many steps (the scale of mixed precision). A
// known write there ends it, and so does a kernel that gets their address and
// may write to it.
void MarkFreshForLong(const void* address, size_t bytes);
bool AnythingFreshForLong();

// A kernel that did not compute wrote just these bytes, or they are allocated
// anew.
void MarkStale(const void* address, size_t bytes);

bool IsFresh(const void* address, size_t bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_WRITTEN_MEMORY_H_
