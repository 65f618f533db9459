// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_PAGE_SEGMENTS_H_
#define DLTAP_SIMGPU_BYTES_PAGE_SEGMENTS_H_

#include <cstddef>

namespace dltap::simgpu {

// MapDevicePages() of memory.h gives small ranges out of segments: a process
// may have 65530 mappings and more allocations. Freed ranges of a segment are
// punched out of the file and given again for the same size.

constexpr size_t kSegmentBytes = 64 << 20;
// The largest range that lies in a segment.
constexpr size_t kSmallRangeBytes = 1 << 20;

// True for addresses of segments, of freed ranges too.
bool IsInSegment(const void* address);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_PAGE_SEGMENTS_H_
