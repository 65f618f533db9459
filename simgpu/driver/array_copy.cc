// SPDX-License-Identifier: Apache-2.0
// Copies of runs of bytes to, from and between arrays.
#include "simgpu/memory/array_copy.h"

#include "simgpu/driver/driver_call.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

struct End {
  CUarray array = nullptr;
  size_t offset = 0;
  const void* pointer = nullptr;
};

struct Request {
  End destination;
  End source;
  size_t bytes;
  CopyDirection direction;
};

End In(CUarray array, size_t offset) {
  return {.array = array, .offset = offset};
}
End At(const void* pointer) { return {.pointer = pointer}; }
End At(CUdeviceptr address) { return {.pointer = ToPointer(address)}; }

// An end that is neither has neither pointer nor array: MakeRunCopy() minds.
CopyEnd EndOf(const End& end) {
  return {.pointer = end.pointer,
          .array = FindArray(end.array),
          .at = {.x = end.offset}};
}

using Finish = Error (*)(Stream&, CopyWork);

template <ApiName kName, Finish kFinish,
          DefaultStream kNull = DefaultStream::kLegacy>
CUresult Copy(CUstream handle, const Request& request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    const CopyEnd to = EndOf(request.destination);
    const CopyEnd from = EndOf(request.source);
    CopyWork copy;
    const Error error =
        MakeRunCopy(to, from, request.bytes, request.direction, &copy);
    return error == Error::kSuccess ? kFinish(stream, copy) : error;
  });
}

constexpr auto kUp = CopyDirection::kHostToDevice;
constexpr auto kDown = CopyDirection::kDeviceToHost;
constexpr auto kInside = CopyDirection::kDeviceToDevice;

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
                         size_t srcOffset, size_t ByteCount) {
  return Copy<"cuMemcpyAtoA_v2", CopySync>(
      nullptr,
      {In(dstArray, dstOffset), In(srcArray, srcOffset), ByteCount, kInside});
}

CUresult cuMemcpyAtoA_v2_ptds(CUarray dstArray, size_t dstOffset,
                              CUarray srcArray, size_t srcOffset,
                              size_t ByteCount) {
  return Copy<"cuMemcpyAtoA_v2_ptds", CopySync, kPtsz>(
      nullptr,
      {In(dstArray, dstOffset), In(srcArray, srcOffset), ByteCount, kInside});
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray,
                         size_t srcOffset, size_t ByteCount) {
  return Copy<"cuMemcpyAtoD_v2", CopySync>(
      nullptr, {At(dstDevice), In(srcArray, srcOffset), ByteCount, kInside});
}

CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr dstDevice, CUarray srcArray,
                              size_t srcOffset, size_t ByteCount) {
  return Copy<"cuMemcpyAtoD_v2_ptds", CopySync, kPtsz>(
      nullptr, {At(dstDevice), In(srcArray, srcOffset), ByteCount, kInside});
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset,
                         CUdeviceptr srcDevice, size_t ByteCount) {
  return Copy<"cuMemcpyDtoA_v2", CopySync>(
      nullptr, {In(dstArray, dstOffset), At(srcDevice), ByteCount, kInside});
}

CUresult cuMemcpyDtoA_v2_ptds(CUarray dstArray, size_t dstOffset,
                              CUdeviceptr srcDevice, size_t ByteCount) {
  return Copy<"cuMemcpyDtoA_v2_ptds", CopySync, kPtsz>(
      nullptr, {In(dstArray, dstOffset), At(srcDevice), ByteCount, kInside});
}

CUresult cuMemcpyAtoH_v2(void* dstHost, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return Copy<"cuMemcpyAtoH_v2", CopySync>(
      nullptr, {At(dstHost), In(srcArray, srcOffset), ByteCount, kDown});
}

CUresult cuMemcpyAtoH_v2_ptds(void* dstHost, CUarray srcArray, size_t srcOffset,
                              size_t ByteCount) {
  return Copy<"cuMemcpyAtoH_v2_ptds", CopySync, kPtsz>(
      nullptr, {At(dstHost), In(srcArray, srcOffset), ByteCount, kDown});
}

CUresult cuMemcpyAtoHAsync_v2(void* dstHost, CUarray srcArray, size_t srcOffset,
                              size_t ByteCount, CUstream hStream) {
  return Copy<"cuMemcpyAtoHAsync_v2", CopyAsync>(
      hStream, {At(dstHost), In(srcArray, srcOffset), ByteCount, kDown});
}

CUresult cuMemcpyAtoHAsync_v2_ptsz(void* dstHost, CUarray srcArray,
                                   size_t srcOffset, size_t ByteCount,
                                   CUstream hStream) {
  return Copy<"cuMemcpyAtoHAsync_v2_ptsz", CopyAsync, kPtsz>(
      hStream, {At(dstHost), In(srcArray, srcOffset), ByteCount, kDown});
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset,
                         const void* srcHost, size_t ByteCount) {
  return Copy<"cuMemcpyHtoA_v2", CopySync>(
      nullptr, {In(dstArray, dstOffset), At(srcHost), ByteCount, kUp});
}

CUresult cuMemcpyHtoA_v2_ptds(CUarray dstArray, size_t dstOffset,
                              const void* srcHost, size_t ByteCount) {
  return Copy<"cuMemcpyHtoA_v2_ptds", CopySync, kPtsz>(
      nullptr, {In(dstArray, dstOffset), At(srcHost), ByteCount, kUp});
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset,
                              const void* srcHost, size_t ByteCount,
                              CUstream hStream) {
  return Copy<"cuMemcpyHtoAAsync_v2", CopyAsync>(
      hStream, {In(dstArray, dstOffset), At(srcHost), ByteCount, kUp});
}

CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray dstArray, size_t dstOffset,
                                   const void* srcHost, size_t ByteCount,
                                   CUstream hStream) {
  return Copy<"cuMemcpyHtoAAsync_v2_ptsz", CopyAsync, kPtsz>(
      hStream, {In(dstArray, dstOffset), At(srcHost), ByteCount, kUp});
}
