// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/array_copy.h"

#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

bool Fits(size_t begin, size_t length, size_t end) {
  return begin <= end && length <= end - begin;
}

bool IsInside(const Array& array, const BoxPosition& at,
              const BoxExtent& extent) {
  return at.x % array.element_bytes == 0 &&
         extent.width_bytes % array.element_bytes == 0 &&
         Fits(at.x, extent.width_bytes, array.row_bytes()) &&
         Fits(at.y, extent.height, array.shape.rows()) &&
         Fits(at.z, extent.depth, array.shape.slices());
}

// An end as linear memory.
struct Linearized {
  char* address;
  size_t pitch;
  size_t slice;
};

Linearized Linearize(const CopyEnd& end) {
  const bool in_array = end.array != nullptr;
  const size_t pitch = in_array ? end.array->row_bytes() : end.pitch;
  const size_t slice =
      in_array ? end.array->slice_bytes() : end.pitch * end.rows;
  const void* base = in_array ? end.array->memory : end.pointer;
  if (base == nullptr) return {nullptr, pitch, slice};
  return {static_cast<char*>(const_cast<void*>(base)) + end.at.z * slice +
              end.at.y * pitch + end.at.x,
          pitch, slice};
}

// "If the kind implies cudaArray type to be present on the host, cudaMemcpy3D()
// will disregard that implication."
std::optional<CopyDirection> Correct(std::optional<CopyDirection> claimed,
                                     bool to_array, bool from_array) {
  if (!claimed) return claimed;
  const bool to_device = to_array || *claimed == CopyDirection::kHostToDevice ||
                         *claimed == CopyDirection::kDeviceToDevice;
  const bool from_device = from_array ||
                           *claimed == CopyDirection::kDeviceToHost ||
                           *claimed == CopyDirection::kDeviceToDevice;
  if (to_device) {
    return from_device ? CopyDirection::kDeviceToDevice
                       : CopyDirection::kHostToDevice;
  }
  return from_device ? CopyDirection::kDeviceToHost
                     : CopyDirection::kHostToHost;
}

Error Make(const CopyEnd& destination, const CopyEnd& source,
           const CopyShape& shape, std::optional<CopyDirection> claimed,
           CopyWork* copy) {
  const Error error = MakeCopy(
      Linearize(destination).address, Linearize(source).address, shape,
      Correct(claimed, destination.array != nullptr, source.array != nullptr),
      copy);
  copy->destination_array = destination.array;
  copy->source_array = source.array;
  return error;
}

}  // namespace

Error MakeBoxCopy(const CopyEnd& destination, const CopyEnd& source,
                  const BoxExtent& extent, std::optional<CopyDirection> claimed,
                  CopyWork* copy) {
  for (const CopyEnd* end : {&destination, &source}) {
    if (end->array != nullptr && !IsInside(*end->array, end->at, extent)) {
      return Error::kInvalidValue;
    }
  }
  const Linearized to = Linearize(destination);
  const Linearized from = Linearize(source);
  return Make(destination, source,
              {.width = extent.width_bytes,
               .height = extent.height,
               .depth = extent.depth,
               .destination_pitch = to.pitch,
               .source_pitch = from.pitch,
               .destination_slice = to.slice,
               .source_slice = from.slice},
              claimed, copy);
}

Error MakeRunCopy(const CopyEnd& destination, const CopyEnd& source,
                  size_t bytes, std::optional<CopyDirection> claimed,
                  CopyWork* copy) {
  for (const CopyEnd* end : {&destination, &source}) {
    if (end->array == nullptr) continue;
    const Array& array = *end->array;
    const size_t offset = end->at.y * array.row_bytes() + end->at.x;
    if (offset % array.element_bytes != 0 || bytes % array.element_bytes != 0 ||
        !Fits(offset, bytes, array.bytes())) {
      return Error::kInvalidValue;
    }
  }
  return Make(destination, source, Linear(bytes), claimed, copy);
}

BoxPosition PositionIn(const Array& array, const std::byte* address) {
  const auto offset = static_cast<size_t>(address - array.memory);
  return {.x = offset % array.row_bytes(),
          .y = offset % array.slice_bytes() / array.row_bytes(),
          .z = offset / array.slice_bytes()};
}

}  // namespace dltap::simgpu
