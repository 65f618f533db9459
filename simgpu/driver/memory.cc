// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/graph_memory.h"
#include "simgpu/memory/memory_pool.h"
#include "simgpu/stream/capture_sequence.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kPitchAlignment = 512;

Error Allocate(size_t bytes, MemoryKind kind, CUdeviceptr* out) {
  // Unlike the runtime's, this function refuses zero bytes.
  if (out == nullptr || bytes == 0) return Error::kInvalidValue;
  if (const Error unsafe = CheckUnsafeCall(); unsafe != Error::kSuccess) {
    return unsafe;
  }
  void* address = nullptr;
  const Error error = AllocateDevice(CurrentDeviceState(), bytes, kind,
                                     MemoryOwner::kMalloc, &address);
  *out = ToAddress(address);
  return error;
}

// The memory may be in use: the vendor's free functions wait as well.
Error AfterWork(Error (*release)(void*), void* address) {
  const Error error = WaitForDevice(CurrentDeviceState());
  return error != Error::kSuccess ? error : release(address);
}

// Of a pool or a graph as well.
Error FreeAny(void* address) {
  const auto allocation = FindAllocation(address);
  if (allocation && (allocation->owner == MemoryOwner::kPool ||
                     allocation->owner == MemoryOwner::kGraph)) {
    return FreeInOrder(address, *CurrentDeviceState().legacy_stream);
  }
  return FreeDevice(address);
}

}  // namespace

namespace body {

Error MemAlloc(CUdeviceptr* dptr, size_t bytesize) {
  return Allocate(bytesize, MemoryKind::kDevice, dptr);
}

Error MemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) {
    return Error::kInvalidValue;
  }
  return Allocate(bytesize, MemoryKind::kManaged, dptr);
}

Error MemAllocPitch(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes,
                    size_t Height, unsigned ElementSizeBytes) {
  const bool element =
      ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16;
  if (pPitch == nullptr || !element) return Error::kInvalidValue;
  *pPitch =
      (WidthInBytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return Allocate(*pPitch * Height, MemoryKind::kDevice, dptr);
}

Error MemFree(CUdeviceptr dptr) {
  return dptr == 0 ? Error::kSuccess : AfterWork(FreeAny, ToPointer(dptr));
}

Error MemGetInfo(size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) return Error::kInvalidValue;
  const Device& device = CurrentDeviceState();
  *total = device.memory_bytes;
  *free = device.memory_bytes - device.used_bytes.load();
  return Error::kSuccess;
}

Error MemGetAddressRange(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  const auto allocation = FindAllocation(ToPointer(dptr));
  if (!allocation) return Error::kNotFound;
  if (pbase != nullptr) *pbase = allocation->base;
  if (psize != nullptr) *psize = allocation->bytes;
  return Error::kSuccess;
}

Error MemAllocHost(void** out, size_t bytes) {
  return MemHostAlloc(out, bytes, 0);
}

Error MemHostAlloc(void** out, size_t bytes, unsigned flags) {
  constexpr unsigned kKnown = CU_MEMHOSTALLOC_PORTABLE |
                              CU_MEMHOSTALLOC_DEVICEMAP |
                              CU_MEMHOSTALLOC_WRITECOMBINED;
  if (out == nullptr || bytes == 0 || (flags & ~kKnown) != 0) {
    return Error::kInvalidValue;
  }
  const Error unsafe = CheckUnsafeCall();
  return unsafe != Error::kSuccess ? unsafe : AllocateHost(bytes, flags, out);
}

Error MemFreeHost(void* p) {
  return p == nullptr ? Error::kSuccess : AfterWork(FreeHost, p);
}

Error MemHostRegister(void* p, size_t bytesize, unsigned Flags) {
  constexpr unsigned kKnown =
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
      CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
  return (Flags & ~kKnown) != 0 ? Error::kInvalidValue
                                : RegisterHost(p, bytesize, Flags);
}

Error MemHostUnregister(void* p) { return AfterWork(UnregisterHost, p); }

Error MemHostGetDevicePointer(CUdeviceptr* pdptr, void* p, unsigned Flags) {
  const auto allocation = FindAllocation(p);
  if (pdptr == nullptr || Flags != 0 || !allocation ||
      allocation->kind != MemoryKind::kPinned) {
    return Error::kInvalidValue;
  }
  *pdptr = ToAddress(p);
  return Error::kSuccess;
}

Error MemHostGetFlags(unsigned* pFlags, void* p) {
  const auto allocation = FindAllocation(p);
  if (pFlags == nullptr || !allocation ||
      allocation->kind != MemoryKind::kPinned) {
    return Error::kInvalidValue;
  }
  *pFlags = allocation->flags;
  return Error::kSuccess;
}

}  // namespace body
}  // namespace dltap::simgpu
