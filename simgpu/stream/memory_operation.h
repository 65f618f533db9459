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
// write is made. One whose condition does not hold yet does not wait: when it
// will is unknown, since the host's and the kernels' writes are not seen.
int64_t EndOfWaits(const MemoryOperationsWork& work, int64_t begin_ns);
void NoteWrites(const MemoryOperationsWork& work, int64_t end_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_MEMORY_OPERATION_H_
