// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/transfer.h"

#include <utility>

#include "simgpu/base/clock.h"
#include "simgpu/bytes/address_map.h"
#include "simgpu/bytes/page_segments.h"
#include "simgpu/bytes/uncomputed_reads.h"
#include "simgpu/stream/host_executor.h"
#include "simgpu/stream/memory_effects.h"
#include "simgpu/stream/submit.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kMaxPitch = 2147483647;  // cudaDevAttrMaxPitch

struct End {
  MemoryKind kind = MemoryKind::kPageable;
  int device = 0;
  bool sync_memops = false;
  bool known = false;
  bool in_bounds = true;
};

bool IsDeviceKind(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kManaged ||
         kind == MemoryKind::kArray;
}

size_t Extent(const CopyShape& shape, size_t pitch, size_t slice) {
  return (shape.depth - 1) * slice + (shape.height - 1) * pitch + shape.width;
}

End Look(const void* address, size_t extent) {
  const auto allocation = FindAllocation(address);
  if (!allocation) return {};
  return {.kind = allocation->kind,
          .device = allocation->device,
          .sync_memops = allocation->sync_memops,
          .known = true,
          .in_bounds = IsInBounds(address, extent)};
}

CopyDirection DirectionOf(const End& destination, const End& source) {
  const bool to_device = IsDeviceKind(destination.kind);
  const bool from_device = IsDeviceKind(source.kind);
  if (to_device && from_device) {
    return destination.device == source.device ? CopyDirection::kDeviceToDevice
                                               : CopyDirection::kPeer;
  }
  if (to_device) return CopyDirection::kHostToDevice;
  return from_device ? CopyDirection::kDeviceToHost
                     : CopyDirection::kHostToHost;
}

// Addresses are unified: what a copy of one line claims to be the host's may be
// any memory of CUDA's, and the copy goes there (MXNet's CTC loss copies so).
// Rows tell the kinds of their ends, which must be true. What is claimed to be
// a device's must be CUDA's.
bool Contradicts(CopyDirection claimed, const End& destination,
                 const End& source, bool rows) {
  const bool wants_device_destination =
      claimed == CopyDirection::kHostToDevice ||
      claimed == CopyDirection::kDeviceToDevice;
  const bool wants_device_source = claimed == CopyDirection::kDeviceToHost ||
                                   claimed == CopyDirection::kDeviceToDevice;
  return (wants_device_destination && !destination.known) ||
         (wants_device_source && !source.known) ||
         (rows && claimed == CopyDirection::kHostToDevice &&
          source.kind == MemoryKind::kDevice) ||
         (rows && claimed == CopyDirection::kDeviceToHost &&
          destination.kind == MemoryKind::kDevice);
}

// Neither device was told to reach the other's memory.
bool NeedsStaging(const End& destination, const End& source) {
  const Device& to = *FindDevice(destination.device);
  const Device& from = *FindDevice(source.device);
  return (to.peers.load() >> source.device & 1) == 0 &&
         (from.peers.load() >> destination.device & 1) == 0;
}

bool FitsPitch(size_t width, size_t pitch) {
  return width <= pitch && pitch <= kMaxPitch;
}

// The rows of a box; one row may have any pitch.
bool PitchesFit(const CopyShape& shape) {
  return shape.height * shape.depth <= 1 ||
         (FitsPitch(shape.width, shape.destination_pitch) &&
          FitsPitch(shape.width, shape.source_pitch));
}

// Where the direction is not claimed, an address that is neither CUDA's nor the
// program's is most likely memory that was freed.
bool IsSomebodys(const End& end, const void* address, size_t extent) {
  return end.known || IsMappedMemory(address, extent);
}

bool IsPageable(const CopyWork& copy) {
  return copy.source_kind == MemoryKind::kPageable ||
         copy.destination_kind == MemoryKind::kPageable;
}

Error WaitForStream(Stream& stream) {
  const Order order = stream.line.Now();
  WaitForHostWork(stream.host_ticket.load());
  WaitUntil(stream.tail_ns.load());
  HostLine().Join(order);
  return StickyErrorOf(*stream.device);
}

bool IsCapturingNow(const Stream& stream) {
  return stream.capture.load(std::memory_order_acquire) != nullptr;
}

}  // namespace

Error MakeCopy(void* destination, const void* source, const CopyShape& shape,
               std::optional<CopyDirection> claimed, CopyWork* copy) {
  copy->width = shape.width;
  copy->height = shape.height;
  copy->depth = shape.depth;
  if (copy->bytes() == 0) return Error::kSuccess;
  if (destination == nullptr || source == nullptr) return Error::kInvalidValue;
  if (!PitchesFit(shape)) return Error::kInvalidPitch;
  const size_t to_extent =
      Extent(shape, shape.destination_pitch, shape.destination_slice);
  const size_t from_extent =
      Extent(shape, shape.source_pitch, shape.source_slice);
  const End to = Look(destination, to_extent);
  const End from = Look(source, from_extent);
  if (!to.in_bounds || !from.in_bounds) return Error::kInvalidValue;
  if (!claimed && (!IsSomebodys(to, destination, to_extent) ||
                   !IsSomebodys(from, source, from_extent))) {
    return Error::kInvalidValue;
  }
  const bool rows = shape.height * shape.depth > 1;
  if (claimed && Contradicts(*claimed, to, from, rows)) {
    return Error::kInvalidValue;
  }
  copy->destination = static_cast<std::byte*>(destination);
  copy->source = static_cast<const std::byte*>(source);
  copy->destination_pitch = shape.destination_pitch;
  copy->source_pitch = shape.source_pitch;
  copy->destination_slice = shape.destination_slice;
  copy->source_slice = shape.source_slice;
  copy->direction = DirectionOf(to, from);
  copy->destination_kind = to.kind;
  copy->source_kind = from.kind;
  copy->destination_device = to.device;
  copy->source_device = from.device;
  copy->staged =
      copy->direction == CopyDirection::kPeer && NeedsStaging(to, from);
  copy->sync_memops = to.sync_memops || from.sync_memops;
  return Error::kSuccess;
}

Error CopyAsync(Stream& stream, CopyWork copy) {
  if (copy.bytes() == 0) return Error::kSuccess;
  copy.asynchronous = true;
  const bool pageable = IsPageable(copy);
  const bool waits =
      pageable && (copy.direction == CopyDirection::kDeviceToHost ||
                   copy.direction == CopyDirection::kHostToHost ||
                   copy.bytes() > kStagedAtOnceBytes);
  const Error error = Submit(stream, std::move(copy));
  NameUncomputedRead();
  if (error == Error::kSuccess && waits && !IsCapturingNow(stream)) {
    return WaitForStream(stream);
  }
  return error;
}

Error CopySync(Stream& stream, CopyWork copy) {
  if (copy.bytes() == 0) return Error::kSuccess;
  copy.asynchronous = false;
  const bool may_return_early =
      copy.direction == CopyDirection::kDeviceToDevice ||
      (IsPageable(copy) && copy.direction == CopyDirection::kHostToDevice &&
       copy.bytes() <= kStagedAtOnceBytes);
  const bool waits = copy.sync_memops || !may_return_early;
  const Error error = Submit(stream, std::move(copy));
  NameUncomputedRead();
  if (error == Error::kSuccess && waits) return WaitForStream(stream);
  return error;
}

Error MakeMemset(void* destination, uint32_t value, uint32_t element_bytes,
                 size_t width, size_t height, size_t pitch, MemsetWork* set) {
  set->width = width;
  set->height = height;
  set->element_bytes = element_bytes;
  if (set->bytes() == 0) return Error::kSuccess;
  const size_t row_bytes = width * element_bytes;
  if (height > 1 && pitch < row_bytes) return Error::kInvalidValue;
  const End to = Look(destination, (height - 1) * pitch + row_bytes);
  if (!to.known || !to.in_bounds) return Error::kInvalidValue;
  set->destination = static_cast<std::byte*>(destination);
  set->pitch = height > 1 ? pitch : row_bytes;
  set->value = value;
  set->kind = to.kind;
  set->sync_memops = to.sync_memops;
  return Error::kSuccess;
}

Error FillAsync(Stream& stream, MemsetWork set) {
  if (set.bytes() == 0) return Error::kSuccess;
  set.asynchronous = true;
  return Submit(stream, std::move(set));
}

Error FillSync(Stream& stream, MemsetWork set) {
  if (set.bytes() == 0) return Error::kSuccess;
  set.asynchronous = false;
  // The synchronous functions wait only for memory that the host can see.
  const bool waits = set.kind != MemoryKind::kDevice || set.sync_memops;
  const Error error = Submit(stream, std::move(set));
  if (error == Error::kSuccess && waits) return WaitForStream(stream);
  return error;
}

}  // namespace dltap::simgpu
