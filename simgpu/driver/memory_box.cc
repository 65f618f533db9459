// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/conversions.h"
#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/array_copy.h"

namespace dltap::simgpu {
namespace {

// One end of a CUDA_MEMCPY2D or 3D.
struct Given {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch;
  size_t height;
  BoxPosition at;
  size_t level;
};

Error ReadEnd(const Given& given, const BoxExtent& extent, CopyEnd* end) {
  *end = {.pitch = given.pitch != 0 ? given.pitch : extent.width_bytes,
          .rows = given.height != 0 ? given.height : extent.height,
          .at = given.at};
  if (given.level != 0) return Error::kInvalidValue;  // "LOD must be 0"
  switch (given.type) {
    case CU_MEMORYTYPE_HOST: end->pointer = given.host; break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED: end->pointer = ToPointer(given.device); break;
    case CU_MEMORYTYPE_ARRAY:
      end->array = FindArray(given.array);
      return end->array == nullptr ? Error::kInvalidValue : Error::kSuccess;
    default: return Error::kInvalidValue;
  }
  // "If specified, srcPitch must be greater than or equal to WidthInBytes +
  // srcXInBytes", and srcHeight to Height + srcY.
  return (given.pitch == 0 || given.pitch >= extent.width_bytes + given.at.x) &&
                 (given.height == 0 ||
                  given.height >= extent.height + given.at.y)
             ? Error::kSuccess
             : Error::kInvalidValue;
}

// What the types of the ends say of a copy; nullopt: the addresses tell.
std::optional<CopyDirection> Claimed(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) {
    return std::nullopt;
  }
  if (to == CU_MEMORYTYPE_HOST) {
    return from == CU_MEMORYTYPE_HOST ? CopyDirection::kHostToHost
                                      : CopyDirection::kDeviceToHost;
  }
  return from == CU_MEMORYTYPE_HOST ? CopyDirection::kHostToDevice
                                    : CopyDirection::kDeviceToDevice;
}

CUmemorytype TypeOf(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kArray: return CU_MEMORYTYPE_ARRAY;
    case MemoryKind::kDevice:
    case MemoryKind::kManaged: return CU_MEMORYTYPE_DEVICE;
    case MemoryKind::kPageable:
    case MemoryKind::kPinned: break;
  }
  return CU_MEMORYTYPE_HOST;
}

BoxPosition PositionOf(const Array* array, const std::byte* address) {
  return array == nullptr ? BoxPosition{} : PositionIn(*array, address);
}

}  // namespace

Error MakeCopy3D(const CUDA_MEMCPY3D& p, CopyWork* copy) {
  const BoxExtent extent{
      .width_bytes = p.WidthInBytes, .height = p.Height, .depth = p.Depth};
  CopyEnd source;
  CopyEnd destination;
  Error error = ReadEnd({.type = p.srcMemoryType,
                         .host = p.srcHost,
                         .device = p.srcDevice,
                         .array = p.srcArray,
                         .pitch = p.srcPitch,
                         .height = p.srcHeight,
                         .at = {p.srcXInBytes, p.srcY, p.srcZ},
                         .level = p.srcLOD},
                        extent, &source);
  if (error != Error::kSuccess) return error;
  error = ReadEnd({.type = p.dstMemoryType,
                   .host = p.dstHost,
                   .device = p.dstDevice,
                   .array = p.dstArray,
                   .pitch = p.dstPitch,
                   .height = p.dstHeight,
                   .at = {p.dstXInBytes, p.dstY, p.dstZ},
                   .level = p.dstLOD},
                  extent, &destination);
  return error == Error::kSuccess
             ? MakeBoxCopy(destination, source, extent,
                           Claimed(p.dstMemoryType, p.srcMemoryType), copy)
             : error;
}

Error MakeCopy2D(const CUDA_MEMCPY2D& p, CopyWork* copy) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = p.srcXInBytes;
  box.srcY = p.srcY;
  box.srcMemoryType = p.srcMemoryType;
  box.srcHost = p.srcHost;
  box.srcDevice = p.srcDevice;
  box.srcArray = p.srcArray;
  box.srcPitch = p.srcPitch;
  box.dstXInBytes = p.dstXInBytes;
  box.dstY = p.dstY;
  box.dstMemoryType = p.dstMemoryType;
  box.dstHost = p.dstHost;
  box.dstDevice = p.dstDevice;
  box.dstArray = p.dstArray;
  box.dstPitch = p.dstPitch;
  box.WidthInBytes = p.WidthInBytes;
  box.Height = p.Height;
  box.Depth = 1;
  return MakeCopy3D(box, copy);
}

CUDA_MEMCPY3D ParamsOf(const CopyWork& copy) {
  const BoxPosition from = PositionOf(copy.source_array, copy.source);
  const BoxPosition to = PositionOf(copy.destination_array, copy.destination);
  CUDA_MEMCPY3D params{};
  params.srcMemoryType = TypeOf(copy.source_kind);
  params.srcXInBytes = from.x;
  params.srcY = from.y;
  params.srcZ = from.z;
  params.srcHost = copy.source;
  params.srcDevice = ToAddress(copy.source);
  params.srcArray = ToHandle<CUarray>(const_cast<Array*>(copy.source_array));
  params.srcPitch = copy.source_pitch;
  params.srcHeight = copy.height;
  params.dstMemoryType = TypeOf(copy.destination_kind);
  params.dstXInBytes = to.x;
  params.dstY = to.y;
  params.dstZ = to.z;
  params.dstHost = copy.destination;
  params.dstDevice = ToAddress(copy.destination);
  params.dstArray =
      ToHandle<CUarray>(const_cast<Array*>(copy.destination_array));
  params.dstPitch = copy.destination_pitch;
  params.dstHeight = copy.height;
  params.WidthInBytes = copy.width;
  params.Height = copy.height;
  params.Depth = copy.depth;
  return params;
}

}  // namespace dltap::simgpu
