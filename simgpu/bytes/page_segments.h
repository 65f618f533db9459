// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_PAGE_SEGMENTS_H_
#define DLTAP_SIMGPU_BYTES_PAGE_SEGMENTS_H_

#include <cstddef>
#include <cstdint>

namespace dltap::simgpu {

constexpr size_t kSegmentBytes = 64 << 20;
// The largest range that lies in a segment.
constexpr size_t kSmallRangeBytes = 1 << 20;

// Pages of the process's memory file; the address is null when the system
// refuses. `bytes` is a multiple of the page size. Small ranges come out of
// segments: a process may have 65530 mappings and more allocations. Freed
// ranges of a segment are punched out of the file and given again for the same
// size.
struct DevicePages {
  void* address = nullptr;
  uint64_t offset = 0;
};
DevicePages MapDevicePages(size_t bytes);
void UnmapDevicePages(const DevicePages& pages, size_t bytes);

// True when every page of the range belongs to the program, not to a segment.
bool IsMappedMemory(const void* address, size_t bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_PAGE_SEGMENTS_H_
