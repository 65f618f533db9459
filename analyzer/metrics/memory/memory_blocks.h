// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_BLOCKS_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_BLOCKS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

inline constexpr int64_t kStillHeld = std::numeric_limits<int64_t>::max();

// One piece of memory from the call that got it to the one that gave it back.
struct MemoryBlock {
  uint64_t address;  // 0: none yet (physical memory that is not mapped)
  int64_t bytes;
  int64_t begin_ns;
  int64_t end_ns = kStillHeld;
  ThreadId thread;
  DeviceId device;                        // none: the trace does not tell
  MemoryKind kind = MemoryKind::kDevice;  // kManaged, kPinned
};

// A request that was refused.
struct FailedAllocation {
  int64_t at_ns;
  int64_t bytes;
  ThreadId thread;
  EntryPointId entry;  // none: an importer's record
  DeviceId device;     // none: the trace does not tell
  // The thread asked for as much again next, and got it.
  bool granted_later = false;
  std::optional<int64_t> free_bytes;  // of the device, as the program asked
  // A framework's allocator says how much of what it holds is in tensors.
  std::optional<int64_t> held_bytes;
  std::optional<int64_t> tensor_bytes;
};

// What a process took from the driver.
struct MemoryBlocks {
  std::vector<MemoryBlock> blocks;  // by begin_ns
  std::vector<FailedAllocation> failed;
  // Of memory taken before recording began, or while it was off.
  uint64_t unmatched_frees = 0;
  uint64_t captured = 0;      // taken by a graph when it runs; not in blocks
  bool from_pools = false;    // some are parts of what a driver's pool holds
  bool has_addresses = true;  // false: no piece has an end
};

// Memory is held from the end of the call that takes it to the begin of the
// one that gives it back. A call inside of one that takes or gives memory is a
// part of it. Physical memory is held until it is released and unmapped.
MemoryBlocks BlocksOf(const TraceModel& model, const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_BLOCKS_H_
