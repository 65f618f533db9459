// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/memory_operation.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "simgpu/bytes/written_memory.h"

namespace dltap::simgpu {
namespace {

// CUstreamWaitValue_flags, CUstreamWriteValue_flags,
// CUstreamMemoryBarrier_flags.
constexpr unsigned kWaitFlush = 1u << 30;
constexpr unsigned kLastComparison = 3;
constexpr unsigned kNoMemoryBarrier = 1;
constexpr unsigned kBarrierGpu = 1;

bool IsWait(MemoryOperationType type) {
  return type == MemoryOperationType::kWait32 ||
         type == MemoryOperationType::kWait64;
}

bool IsWrite(MemoryOperationType type) {
  return type == MemoryOperationType::kWrite32 ||
         type == MemoryOperationType::kWrite64;
}

size_t BytesOf(MemoryOperationType type) {
  return type == MemoryOperationType::kWait64 ||
                 type == MemoryOperationType::kWrite64
             ? 8
             : 4;
}

bool IsValid(const MemoryOperation& operation) {
  switch (operation.type) {
    case MemoryOperationType::kFlush: return operation.flags == 0;
    case MemoryOperationType::kBarrier: return operation.flags <= kBarrierGpu;
    case MemoryOperationType::kWait32:
    case MemoryOperationType::kWait64:
      if ((operation.flags & ~kWaitFlush) > kLastComparison) return false;
      break;
    case MemoryOperationType::kWrite32:
    case MemoryOperationType::kWrite64:
      if (operation.flags > kNoMemoryBarrier) return false;
      break;
    default: return false;
  }
  const auto address = reinterpret_cast<uintptr_t>(operation.address);
  return address != 0 && address % BytesOf(operation.type) == 0;
}

// When the stream operations' writes to an address were made.
struct Writes {
  std::mutex mutex;
  std::unordered_map<const void*, int64_t> last_ns;
};

Writes& AllWrites() {
  static auto* const writes = new Writes;
  return *writes;
}

}  // namespace

Error CheckMemoryOperations(const MemoryOperationsWork& work) {
  if (work.flags != 0) return Error::kInvalidValue;
  const bool valid =
      std::all_of(work.operations.begin(), work.operations.end(), IsValid);
  return valid ? Error::kSuccess : Error::kInvalidValue;
}

void PerformMemoryOperations(const MemoryOperationsWork& work) {
  for (const MemoryOperation& operation : work.operations) {
    if (!IsWrite(operation.type)) continue;
    std::memcpy(operation.address, &operation.value, BytesOf(operation.type));
    MarkFresh(operation.address, BytesOf(operation.type));
  }
}

int64_t EndOfWaits(const MemoryOperationsWork& work, int64_t begin_ns) {
  int64_t end_ns = begin_ns;
  Writes& writes = AllWrites();
  for (const MemoryOperation& operation : work.operations) {
    if (!IsWait(operation.type)) continue;
    const std::lock_guard lock(writes.mutex);
    const auto found = writes.last_ns.find(operation.address);
    if (found == writes.last_ns.end()) continue;
    end_ns = std::max(end_ns, found->second);
  }
  return end_ns;
}

void NoteWrites(const MemoryOperationsWork& work, int64_t end_ns) {
  Writes& writes = AllWrites();
  for (const MemoryOperation& operation : work.operations) {
    if (!IsWrite(operation.type)) continue;
    const std::lock_guard lock(writes.mutex);
    writes.last_ns[operation.address] = end_ns;
  }
}

}  // namespace dltap::simgpu
