// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_MANAGED_MEMORY_H_
#define DLTAP_SIMGPU_MEMORY_MANAGED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/memory/copy_batch.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {

// What programs say of managed memory, kept for each page. Who touches a page
// is not known, so pages move only by prefetching: they are taken to lie on the
// host at first.

// Numbered as cudaMemLocation and CUmemLocation.
struct MemoryLocation {
  int type = 0;
  int id = 0;
  bool operator==(const MemoryLocation&) const = default;
};

// A device's ordinal, or cudaCpuDeviceId.
MemoryLocation LocationOfDevice(int device);

struct MemoryRange {
  const void* address = nullptr;
  size_t bytes = 0;
};

// kInvalidValue unless the range is managed memory, kInvalidDevice for a
// location that is not there. `advice` is numbered as cudaMemoryAdvise.
Error AdviseMemory(const MemoryRange& range, int advice,
                   MemoryLocation location);

// In stream order; takes the time of the pages that are elsewhere.
Error PrefetchMemory(Stream& stream, const MemoryRange& range,
                     MemoryLocation location);

// What the batch functions are given: `locations` begin to hold at the
// operations that `first` says. None where nothing is prefetched.
struct MemoryBatch {
  std::vector<MemoryRange> ranges;
  std::vector<MemoryLocation> locations;
  const size_t* first = nullptr;
  bool discard = false;
  bool prefetch = false;
  uint64_t flags = 0;
};
Error RunMemoryBatch(Stream& stream, const MemoryBatch& batch);

// `attribute` is numbered as cudaMemRangeAttribute.
Error GetRangeAttribute(const MemoryRange& range, int attribute, void* data,
                        size_t data_bytes);

// cudaStreamAttachMemAsync.
Error AttachMemory(Stream& stream, const MemoryRange& range, unsigned flags);

// When managed memory is freed: its id in the address map.
void ForgetManaged(uint64_t allocation_id);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_MANAGED_MEMORY_H_
