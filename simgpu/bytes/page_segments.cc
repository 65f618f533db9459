// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/page_segments.h"

#include <sys/mman.h>

#include <cstdint>
#include <iterator>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/bytes/memory_file.h"
#include "simgpu/bytes/shared_memory.h"

namespace dltap::simgpu {
namespace {

struct Segments {
  std::mutex mutex;
  std::set<uintptr_t> bases;
  DevicePages rest;  // of the newest, not given yet
  size_t rest_bytes = 0;
  std::unordered_map<size_t, std::vector<DevicePages>> freed;  // by bytes
};

Segments& All() {
  static auto* const segments = new Segments;
  return *segments;
}

DevicePages MapRange(MemoryFile& file, size_t bytes) {
  const uint64_t offset = file.NewRange(bytes);
  return {file.Map(offset, bytes), offset};
}

// REQUIRES: segments.mutex.
bool AddSegment(Segments& segments, MemoryFile& file) {
  const DevicePages pages = MapRange(file, kSegmentBytes);
  if (pages.address == nullptr) return false;
  segments.bases.insert(reinterpret_cast<uintptr_t>(pages.address));
  segments.rest = pages;
  segments.rest_bytes = kSegmentBytes;
  return true;
}

// REQUIRES: segments.mutex.
DevicePages TakeRest(Segments& segments, size_t bytes) {
  const DevicePages taken = segments.rest;
  segments.rest.address = static_cast<std::byte*>(taken.address) + bytes;
  segments.rest.offset += bytes;
  segments.rest_bytes -= bytes;
  return taken;
}

DevicePages TakeSmall(MemoryFile& file, size_t bytes) {
  Segments& segments = All();
  const std::lock_guard lock(segments.mutex);
  auto& freed = segments.freed[bytes];
  if (!freed.empty()) {
    const DevicePages pages = freed.back();
    freed.pop_back();
    return pages;
  }
  if (segments.rest_bytes < bytes && !AddSegment(segments, file)) return {};
  return TakeRest(segments, bytes);
}

// True for addresses of freed ranges, too.
bool IsInSegment(const void* address) {
  Segments& segments = All();
  const std::lock_guard lock(segments.mutex);
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto next = segments.bases.upper_bound(at);
  return next != segments.bases.begin() &&
         at - *std::prev(next) < kSegmentBytes;
}

}  // namespace

DevicePages MapDevicePages(size_t bytes) {
  MemoryFile* file = MemoryFile::Own();
  if (file == nullptr) return {};
  return bytes <= kSmallRangeBytes ? TakeSmall(*file, bytes)
                                   : MapRange(*file, bytes);
}

void UnmapDevicePages(const DevicePages& pages, size_t bytes) {
  if (bytes > kSmallRangeBytes) munmap(pages.address, bytes);
  MemoryFile::Own()->Discard(pages.offset, bytes);
  // Another process may still have the range, and would see what comes after.
  if (bytes > kSmallRangeBytes || IsAnyShared()) return;
  Segments& segments = All();
  const std::lock_guard lock(segments.mutex);
  segments.freed[bytes].push_back(pages);
}

bool IsMappedMemory(const void* address, size_t bytes) {
  if (IsInSegment(address)) return false;  // the devices', freed or not
  return ArePagesMapped(address, bytes);
}

}  // namespace dltap::simgpu
