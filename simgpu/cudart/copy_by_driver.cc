// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/copy_by_driver.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

// What both ends of CUDA_MEMCPY2D, CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER have.
struct EndParams {
  CUmemorytype type;
  void* address;
  CUarray array;
  BoxPosition at;
  size_t pitch;
  size_t height;
};

CUmemorytype TypeOf(cudaMemcpyKind kind, cudaMemcpyKind other_with_host) {
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  return kind == cudaMemcpyHostToHost || kind == other_with_host
             ? CU_MEMORYTYPE_HOST
             : CU_MEMORYTYPE_DEVICE;
}

// The position in linear memory becomes part of its address. The driver takes
// zero for a pitch or a height that nothing depends on.
EndParams ToParams(const CopyEnd& end, const BoxExtent& extent,
                   CUmemorytype type) {
  if (end.array != nullptr) {
    return {.type = CU_MEMORYTYPE_ARRAY,
            .address = nullptr,
            .array = ToHandle<CUarray>(const_cast<Array*>(end.array)),
            .at = end.at,
            .pitch = 0,
            .height = 0};
  }
  const size_t slice = end.pitch * end.rows;
  const size_t offset = end.at.z * slice + end.at.y * end.pitch + end.at.x;
  return {
      .type = type,
      .address = static_cast<char*>(const_cast<void*>(end.pointer)) + offset,
      .array = nullptr,
      .at = {},
      .pitch = extent.height * extent.depth > 1 ? end.pitch : 0,
      .height = extent.depth > 1 ? end.rows : 0};
}

template <typename Params>
Params ToParams(const Box& box) {
  const EndParams from = ToParams(box.source, box.extent,
                                  TypeOf(box.kind, cudaMemcpyHostToDevice));
  const EndParams to = ToParams(box.destination, box.extent,
                                TypeOf(box.kind, cudaMemcpyDeviceToHost));
  Params params{};
  params.srcMemoryType = from.type;
  params.srcHost = from.address;
  params.srcDevice = ToAddress(from.address);
  params.srcArray = from.array;
  params.srcXInBytes = from.at.x;
  params.srcY = from.at.y;
  params.srcPitch = from.pitch;
  params.dstMemoryType = to.type;
  params.dstHost = to.address;
  params.dstDevice = ToAddress(to.address);
  params.dstArray = to.array;
  params.dstXInBytes = to.at.x;
  params.dstY = to.at.y;
  params.dstPitch = to.pitch;
  params.WidthInBytes = box.extent.width_bytes;
  params.Height = box.extent.height;
  if constexpr (requires { params.Depth; }) {
    params.srcZ = from.at.z;
    params.srcHeight = from.height;
    params.dstZ = to.at.z;
    params.dstHeight = to.height;
    params.Depth = box.extent.depth;
  }
  return params;
}

// The runtime has an error of its own for it.
bool HasRoomForRows(const CopyEnd& end, const BoxExtent& extent) {
  return end.array != nullptr || extent.height * extent.depth <= 1 ||
         extent.width_bytes <= end.pitch;
}

Error CheckPitches(const Box& box) {
  return HasRoomForRows(box.destination, box.extent) &&
                 HasRoomForRows(box.source, box.extent)
             ? Error::kSuccess
             : Error::kInvalidPitch;
}

CUresult CallForLine(const Lane& lane, const Line& line) {
  const DriverStreamTable& driver = lane.driver;
  const bool async = lane.mode == Mode::kAsync;
  const CUstream stream = lane.stream;
  const CUdeviceptr to = ToAddress(line.destination);
  const CUdeviceptr from = ToAddress(line.source);
  switch (line.kind) {
    case cudaMemcpyHostToDevice:
      return async ? driver.memcpy_up_async(to, line.source, line.bytes, stream)
                   : driver.memcpy_up(to, line.source, line.bytes);
    case cudaMemcpyDeviceToHost:
      return async ? driver.memcpy_down_async(line.destination, from,
                                              line.bytes, stream)
                   : driver.memcpy_down(line.destination, from, line.bytes);
    case cudaMemcpyDeviceToDevice:
      return async ? driver.memcpy_inside_async(to, from, line.bytes, stream)
                   : driver.memcpy_inside(to, from, line.bytes);
    default:
      return async ? driver.memcpy_any_async(to, from, line.bytes, stream)
                   : driver.memcpy_any(to, from, line.bytes);
  }
}

}  // namespace

Error CopyLine(const Lane& lane, const Line& line) {
  if (!IsCopyKind(line.kind)) return Error::kInvalidMemcpyDirection;
  return FromDriver(CallForLine(lane, line));
}

Error CopyRows(const Lane& lane, const Box& box) {
  if (const Error error = CheckPitches(box); error != Error::kSuccess) {
    return error;
  }
  const auto params = ToParams<CUDA_MEMCPY2D>(box);
  return FromDriver(lane.mode == Mode::kAsync
                        ? lane.driver.memcpy_2d_async(&params, lane.stream)
                        : lane.driver.memcpy_2d(&params));
}

Error CopyBox(const Lane& lane, const Box& box) {
  if (const Error error = CheckPitches(box); error != Error::kSuccess) {
    return error;
  }
  const auto params = ToParams<CUDA_MEMCPY3D>(box);
  return FromDriver(lane.mode == Mode::kAsync
                        ? lane.driver.memcpy_3d_async(&params, lane.stream)
                        : lane.driver.memcpy_3d(&params));
}

Error CopyBoxBetween(const Lane& lane, const Box& box, CUcontext destination,
                     CUcontext source) {
  if (const Error error = CheckPitches(box); error != Error::kSuccess) {
    return error;
  }
  auto params = ToParams<CUDA_MEMCPY3D_PEER>(box);
  params.dstContext = destination;
  params.srcContext = source;
  return FromDriver(lane.mode == Mode::kAsync
                        ? lane.driver.memcpy_3d_peer_async(&params, lane.stream)
                        : lane.driver.memcpy_3d_peer(&params));
}

}  // namespace dltap::simgpu
