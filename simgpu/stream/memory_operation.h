// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_MEMORY_OPERATION_H_
#define DLTAP_SIMGPU_STREAM_MEMORY_OPERATION_H_

#include <cstdint>
#include <vector>

#include "simgpu/base/error.h"

namespace dltap::simgpu {

// Numbered as CUstreamBatchMemOpType.
enum class MemoryOperationType : int {
  kWait32 = 1,
  kWrite32 = 2,
  kFlush = 3,
  kWait64 = 4,
  kWrite64 = 5,
  kBarrier = 6,
};

struct MemoryOperation {
  MemoryOperationType type;
  void* address = nullptr;
  uint64_t value = 0;
  unsigned flags = 0;
};

// Several at once, in their order (cuStreamBatchMemOp).
struct MemoryOperationsWork {
  std::vector<MemoryOperation> operations;
  unsigned flags = 0;
};

// kInvalidValue: an unknown type, a null or misaligned address, no such flags.
Error CheckMemoryOperations(const MemoryOperationsWork& work);

// Writes what is to be written.
void PerformMemoryOperations(const MemoryOperationsWork& work);

// A wait whose condition holds by a write on another stream ends when that
// write is made. A wait with a condition that does not hold yet ends at once:
// the writes of the host and of kernels are not seen, so its end is unknown.
int64_t EndOfWaits(const MemoryOperationsWork& work, int64_t begin_ns);
void NoteWrites(const MemoryOperationsWork& work, int64_t end_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_MEMORY_OPERATION_H_
