// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_WRITTEN_MEMORY_H_
#define DLTAP_SIMGPU_BYTES_WRITTEN_MEMORY_H_

#include <cstddef>
#include <span>

#include "simgpu/bytes/freshness.h"
#include "simgpu/bytes/plausible_values.h"

namespace dltap::simgpu {

// Which bytes of device memory hold what a GPU would have left there.
// Thread-safe.

// `type`: of the numbers there, as which they read once they are stale.
void MarkFresh(const void* address, size_t bytes,
               NumberType type = NumberType::kUnknown);
void MarkAssumed(const void* address, size_t bytes,
                 NumberType type = NumberType::kUnknown);

// Fresh also after kernels whose output is unknown: for the few bytes that a
// program keeps to itself for many steps (the scale of mixed precision). A
// known write there ends it, and so does a kernel that gets their address and
// may write to it.
void MarkFreshForLong(const void* address, size_t bytes);
bool AnythingFreshForLong();

// A kernel that did not compute wrote just these bytes, numbers of that type,
// or they are allocated anew.
void MarkStale(const void* address, size_t bytes,
               NumberType type = NumberType::kUnknown);

void Mark(const void* address, size_t bytes, Freshness freshness);

// Where a kernel that does not compute may write.
struct WriteTarget {
  const void* address = nullptr;
  size_t bytes = 0;  // 0: nobody knows how many
  NumberType type = NumberType::kUnknown;
};

// Such a kernel may have written there. Where nobody knows how far, what was
// written there in one piece is stale to its end, and so is what follows it, up
// to where an allocator may begin a block.
void MarkStale(std::span<const WriteTarget> targets);

// That of the least fresh of these bytes.
Freshness FreshnessOf(const void* address, size_t bytes);
inline bool IsFresh(const void* address, size_t bytes) {
  return FreshnessOf(address, bytes) == Freshness::kFresh;
}

// They are fresh, and since they were written no kernel that does not compute
// has run, wherever it may have written.
bool IsFreshSinceUnknownKernel(const void* address, size_t bytes);

// The type of the numbers that the last kernel to write there has left.
NumberType KnownTypeAt(const void* address);

// Writes what stale bytes read as over those that are stale, and has them
// assumed: zeroes or, by DLTAP_SIM_VALUES, plausible numbers (of `type`, or of
// the one that is known of the writer).
void AssumeValues(std::byte* address, size_t bytes,
                  NumberType type = NumberType::kUnknown);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_WRITTEN_MEMORY_H_
