// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_MEMORY_EFFECTS_H_
#define DLTAP_SIMGPU_STREAM_MEMORY_EFFECTS_H_

#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// What work does to memory. Copies and memsets are carried out when they are
// submitted (or after the host function they follow), in submission order.
//
// The zero rule: kernels do not compute, so the bytes where one would have left
// a result are stale. A copy of at most kSmallReadBytes from device to host is
// a program reading a scalar (a count, a flag, a loss) to decide something; it
// sees zeroes unless the bytes are fresh (written_memory.h).
constexpr size_t kSmallReadBytes = 16;

// Up to this size a copy from pageable memory to a device has taken its bytes
// when the call returns; the call waits for a larger one (CUDA runtime API,
// "API synchronization behavior").
constexpr size_t kStagedAtOnceBytes = 64 * 1024;

// Before such a copy is carried out later than its call.
void StageSource(CopyWork& copy);

void PerformCopy(const CopyWork& copy);
void PerformMemset(const MemsetWork& set);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_MEMORY_EFFECTS_H_
