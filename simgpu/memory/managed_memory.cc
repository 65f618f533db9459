// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/managed_memory.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "simgpu/bytes/address_map.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/stream/capture_sequence.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/submit.h"

namespace dltap::simgpu {
namespace {

constexpr uintptr_t kPageBytes = 4096;
constexpr int kCpu = -1;      // CU_DEVICE_CPU
constexpr int kNoPlace = -2;  // CU_DEVICE_INVALID

// Numbered as CUmemLocationType.
enum LocationType : int {
  kInvalidLocation = 0,
  kOnDevice = 1,
  kOnHost = 2,
  kOnHostNuma = 3,
  kOnHostNumaCurrent = 4
};

// What is known of pages that are alike.
struct PageState {
  bool read_mostly = false;
  bool discarded = false;  // nothing to move
  MemoryLocation preferred;
  MemoryLocation prefetched;
  uint32_t accessed_by = 0;  // bit 0: the host, then the devices
  int resident = kCpu;
  bool operator==(const PageState&) const = default;
};

// States by where they begin to hold.
using Pages = std::map<uintptr_t, PageState>;

struct Book {
  std::mutex mutex;
  std::map<uint64_t, Pages> by_allocation;
};

Book& TheBook() {
  static auto* const book = new Book;
  return *book;
}

// "Rounded down and rounded up respectively to be aligned to CPU page size."
struct PageRange {
  uint64_t allocation_id;
  uintptr_t begin;
  uintptr_t end;
};

std::optional<PageRange> FindManaged(const MemoryRange& range) {
  const auto allocation = FindAllocation(range.address);
  if (range.bytes == 0 || !allocation ||
      allocation->kind != MemoryKind::kManaged) {
    return std::nullopt;
  }
  const auto begin = reinterpret_cast<uintptr_t>(range.address);
  const size_t left =
      RoundToPages(allocation->bytes) - (begin - allocation->base);
  if (range.bytes > left) return std::nullopt;
  return PageRange{
      allocation->id, begin / kPageBytes * kPageBytes,
      (begin + range.bytes + kPageBytes - 1) / kPageBytes * kPageBytes};
}

void Split(Pages& pages, uintptr_t at) {
  const auto next = pages.upper_bound(at);
  const PageState state =
      next == pages.begin() ? PageState{} : std::prev(next)->second;
  pages.emplace(at, state);
}

// Calls visit(state, bytes) for the pages of the range; what it changes is
// kept.
template <typename Visit>
void ForEachState(const PageRange& range, Visit visit) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  Pages& pages = book.by_allocation[range.allocation_id];
  Split(pages, range.begin);
  Split(pages, range.end);
  for (auto at = pages.find(range.begin); at->first != range.end;) {
    const auto next = std::next(at);
    visit(at->second, next->first - at->first);
    // States that have become alike are one again.
    const bool merge =
        at != pages.begin() && std::prev(at)->second == at->second;
    if (merge) pages.erase(at);
    at = next;
  }
  const auto after = pages.find(range.end);
  if (std::prev(after)->second == after->second) pages.erase(after);
}

bool IsHost(int type) {
  return type == kOnHost || type == kOnHostNuma || type == kOnHostNumaCurrent;
}

// As it is kept. Every machine is taken to have one NUMA node.
Error Resolve(MemoryLocation* location) {
  switch (location->type) {
    case kOnDevice:
      return FindDevice(location->id) == nullptr ? Error::kInvalidDevice
                                                 : Error::kSuccess;
    case kOnHost: location->id = 0; return Error::kSuccess;
    case kOnHostNuma:
      return location->id == 0 ? Error::kSuccess : Error::kInvalidDevice;
    case kOnHostNumaCurrent:
      *location = {kOnHostNuma, 0};
      return Error::kSuccess;
    default: return Error::kInvalidValue;
  }
}

int DeviceOf(const MemoryLocation& location) {
  if (location.type == kOnDevice) return location.id;
  return IsHost(location.type) ? kCpu : kNoPlace;
}

uint32_t BitOf(int device) { return 1u << (device + 1); }

// Numbered as cudaMemoryAdvise and CUmem_advise.
enum Advice : int {
  kSetReadMostly = 1,
  kUnsetReadMostly = 2,
  kSetPreferred = 3,
  kUnsetPreferred = 4,
  kSetAccessedBy = 5,
  kUnsetAccessedBy = 6
};

Error CheckAdvice(int advice, MemoryLocation* location) {
  switch (advice) {
    case kSetReadMostly:
    case kUnsetReadMostly:
    case kUnsetPreferred: return Error::kSuccess;  // location is ignored
    case kSetPreferred: return Resolve(location);
    case kSetAccessedBy:
    case kUnsetAccessedBy:
      // "All other location types are invalid."
      return location->type == kOnDevice || location->type == kOnHost
                 ? Resolve(location)
                 : Error::kInvalidValue;
    default: return Error::kInvalidValue;
  }
}

void Apply(int advice, const MemoryLocation& location, PageState& state) {
  switch (advice) {
    case kSetReadMostly: state.read_mostly = true; break;
    case kUnsetReadMostly: state.read_mostly = false; break;
    case kSetPreferred: state.preferred = location; break;
    case kUnsetPreferred: state.preferred = {}; break;
    case kSetAccessedBy: state.accessed_by |= BitOf(DeviceOf(location)); break;
    default: state.accessed_by &= ~BitOf(DeviceOf(location));
  }
}

// Bytes that a prefetch moves, by where they come from.
using Moves = std::map<int, size_t>;

void Move(const PageRange& range, const MemoryLocation& location,
          Moves* moves) {
  const int target = DeviceOf(location);
  ForEachState(range, [&](PageState& state, size_t bytes) {
    if (state.resident != target && !state.discarded) {
      (*moves)[state.resident] += bytes;
    }
    state.resident = target;
    state.discarded = false;
    state.prefetched = location;
  });
}

Error SubmitMoves(Stream& stream, const Moves& moves, int target) {
  for (const auto& [source, bytes] : moves) {
    const CopyDirection direction =
        target == kCpu   ? CopyDirection::kDeviceToHost
        : source == kCpu ? CopyDirection::kHostToDevice
                         : CopyDirection::kPeer;
    const Error error = Submit(stream, MigrationWork{bytes, direction});
    if (error != Error::kSuccess) return error;
  }
  return Error::kSuccess;
}

// The attributes of a range are what its pages have in common.
struct Common {
  bool any = false;
  bool read_mostly = true;
  uint32_t accessed_by = ~0u;
  MemoryLocation preferred;
  MemoryLocation prefetched;
};

Common CommonOf(const PageRange& range) {
  Common common;
  const auto agree = [&](MemoryLocation& known, const MemoryLocation& found) {
    if (!common.any) known = found;
    if (known != found) known = {};
  };
  ForEachState(range, [&](const PageState& state, size_t) {
    common.read_mostly = common.read_mostly && state.read_mostly;
    common.accessed_by &= state.accessed_by;
    agree(common.preferred, state.preferred);
    agree(common.prefetched, state.prefetched);
    common.any = true;
  });
  return common;
}

// Numbered as cudaMemRangeAttribute and CUmem_range_attribute.
enum RangeAttribute : int {
  kReadMostly = 1,
  kPreferred = 2,
  kAccessedBy = 3,
  kLastPrefetch = 4,
  kPreferredType = 5,
  kPreferredId = 6,
  kLastPrefetchType = 7,
  kLastPrefetchId = 8
};

std::optional<int> NumberOf(const Common& common, int attribute) {
  switch (attribute) {
    case kReadMostly: return common.read_mostly ? 1 : 0;
    case kPreferred: return DeviceOf(common.preferred);
    case kLastPrefetch: return DeviceOf(common.prefetched);
    case kPreferredType: return common.preferred.type;
    case kPreferredId: return common.preferred.id;
    case kLastPrefetchType: return common.prefetched.type;
    case kLastPrefetchId: return common.prefetched.id;
    default: return std::nullopt;
  }
}

std::vector<int> AccessorsOf(const Common& common, size_t room) {
  std::vector<int> devices;
  for (int device = kCpu; device < DeviceCount(); ++device) {
    if ((common.accessed_by & BitOf(device)) != 0) devices.push_back(device);
  }
  devices.resize(room, kNoPlace);
  return devices;
}

}  // namespace

MemoryLocation LocationOfDevice(int device) {
  return device == kCpu ? MemoryLocation{kOnHost, 0}
                        : MemoryLocation{kOnDevice, device};
}

Error AdviseMemory(const MemoryRange& range, int advice,
                   MemoryLocation location) {
  const Error error = CheckAdvice(advice, &location);
  if (error != Error::kSuccess) return error;
  const auto pages = FindManaged(range);
  if (!pages) return Error::kInvalidValue;
  ForEachState(*pages, [&](PageState& state, size_t) {
    Apply(advice, location, state);
  });
  return Error::kSuccess;
}

Error PrefetchMemory(Stream& stream, const MemoryRange& range,
                     MemoryLocation location) {
  Error error = Resolve(&location);
  if (error != Error::kSuccess) return error;
  const auto pages = FindManaged(range);
  if (!pages) return Error::kInvalidValue;
  error = RefuseWhileCapturing(stream);
  if (error != Error::kSuccess) return error;
  Moves moves;
  Move(*pages, location, &moves);
  return SubmitMoves(stream, moves, DeviceOf(location));
}

Error RunMemoryBatch(Stream& stream, const MemoryBatch& batch) {
  if (batch.flags != 0 || (batch.prefetch && batch.locations.empty())) {
    return Error::kInvalidValue;
  }
  Error error = CheckBatch(stream, batch.ranges.size(),
                           {batch.first, batch.locations.size()});
  if (error != Error::kSuccess) return error;
  std::vector<MemoryLocation> locations = batch.locations;
  for (MemoryLocation& location : locations) {
    error = Resolve(&location);
    if (error != Error::kSuccess) return error;
  }
  std::vector<PageRange> ranges;
  for (const MemoryRange& range : batch.ranges) {
    const auto pages = FindManaged(range);
    if (!pages) return Error::kInvalidValue;
    ranges.push_back(*pages);
  }
  if (batch.discard) {
    for (const PageRange& range : ranges) {
      ForEachState(range,
                   [](PageState& state, size_t) { state.discarded = true; });
    }
  }
  for (size_t k = 0; k < locations.size(); ++k) {
    const size_t end =
        k + 1 < locations.size() ? batch.first[k + 1] : ranges.size();
    Moves moves;
    for (size_t i = batch.first[k]; i < end; ++i) {
      Move(ranges[i], locations[k], &moves);
    }
    error = SubmitMoves(stream, moves, DeviceOf(locations[k]));
    if (error != Error::kSuccess) return error;
  }
  return Error::kSuccess;
}

Error GetRangeAttribute(const MemoryRange& range, int attribute, void* data,
                        size_t data_bytes) {
  const auto pages = FindManaged(range);
  if (!pages || data == nullptr) return Error::kInvalidValue;
  const Common common = CommonOf(*pages);
  if (attribute == kAccessedBy) {
    if (data_bytes == 0 || data_bytes % sizeof(int) != 0) {
      return Error::kInvalidValue;
    }
    const std::vector<int> devices =
        AccessorsOf(common, data_bytes / sizeof(int));
    std::memcpy(data, devices.data(), data_bytes);
    return Error::kSuccess;
  }
  const auto number = NumberOf(common, attribute);
  if (!number || data_bytes != sizeof(int)) return Error::kInvalidValue;
  std::memcpy(data, &*number, sizeof(int));
  return Error::kSuccess;
}

Error AttachMemory(Stream& stream, const MemoryRange& range, unsigned flags) {
  constexpr unsigned kGlobal = 1;
  constexpr unsigned kHost = 2;
  constexpr unsigned kSingle = 4;
  const auto allocation = FindAllocation(range.address);
  // "It is illegal to attach singly to the NULL stream." "length must be either
  // zero or the entire allocation's size."
  if ((flags != kGlobal && flags != kHost && flags != kSingle) ||
      (flags == kSingle && stream.legacy) || !allocation ||
      allocation->kind != MemoryKind::kManaged ||
      allocation->base != reinterpret_cast<uintptr_t>(range.address) ||
      (range.bytes != 0 && range.bytes != allocation->bytes)) {
    return Error::kInvalidValue;
  }
  return RefuseWhileCapturing(stream);
}

void ForgetManaged(uint64_t allocation_id) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  book.by_allocation.erase(allocation_id);
}

}  // namespace dltap::simgpu
