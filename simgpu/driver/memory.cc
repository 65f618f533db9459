// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory.h"

#include "simgpu/driver/driver_call.h"
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

template <ApiName kName>
CUresult HostAlloc(void** out, size_t bytes, unsigned flags) {
  constexpr unsigned kKnown = CU_MEMHOSTALLOC_PORTABLE |
                              CU_MEMHOSTALLOC_DEVICEMAP |
                              CU_MEMHOSTALLOC_WRITECOMBINED;
  return Driver<kName>(DriverNeeds::kContext, [&] {
    if (out == nullptr || bytes == 0 || (flags & ~kKnown) != 0) {
      return Error::kInvalidValue;
    }
    const Error unsafe = CheckUnsafeCall();
    return unsafe != Error::kSuccess ? unsafe : AllocateHost(bytes, flags, out);
  });
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
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
  return Driver<"cuMemAlloc_v2">(DriverNeeds::kContext, [&] {
    return Allocate(bytesize, MemoryKind::kDevice, dptr);
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize,
                           unsigned int flags) {
  return Driver<"cuMemAllocManaged">(DriverNeeds::kContext, [&] {
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) {
      return Error::kInvalidValue;
    }
    return Allocate(bytesize, MemoryKind::kManaged, dptr);
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch,
                            size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
  return Driver<"cuMemAllocPitch_v2">(DriverNeeds::kContext, [&] {
    const bool element = ElementSizeBytes == 4 || ElementSizeBytes == 8 ||
                         ElementSizeBytes == 16;
    if (pPitch == nullptr || !element) return Error::kInvalidValue;
    *pPitch = (WidthInBytes + kPitchAlignment - 1) / kPitchAlignment *
              kPitchAlignment;
    return Allocate(*pPitch * Height, MemoryKind::kDevice, dptr);
  });
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  return Driver<"cuMemFree_v2">(DriverNeeds::kContext, [&] {
    return dptr == 0 ? Error::kSuccess : AfterWork(FreeAny, ToPointer(dptr));
  });
}

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return Driver<"cuMemGetInfo_v2">(DriverNeeds::kContext, [&] {
    if (free == nullptr || total == nullptr) return Error::kInvalidValue;
    const Device& device = CurrentDeviceState();
    *total = device.memory_bytes;
    *free = device.memory_bytes - device.used_bytes.load();
    return Error::kSuccess;
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize,
                                 CUdeviceptr dptr) {
  return Driver<"cuMemGetAddressRange_v2">(DriverNeeds::kContext, [&] {
    const auto allocation = FindAllocation(ToPointer(dptr));
    if (!allocation) return Error::kNotFound;
    if (pbase != nullptr) *pbase = allocation->base;
    if (psize != nullptr) *psize = allocation->bytes;
    return Error::kSuccess;
  });
}

CUresult cuMemAllocHost_v2(void** pp, size_t bytesize) {
  return HostAlloc<"cuMemAllocHost_v2">(pp, bytesize, 0);
}

CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
  return HostAlloc<"cuMemHostAlloc">(pp, bytesize, Flags);
}

CUresult cuMemFreeHost(void* p) {
  return Driver<"cuMemFreeHost">(DriverNeeds::kContext, [&] {
    return p == nullptr ? Error::kSuccess : AfterWork(FreeHost, p);
  });
}

CUresult cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
  constexpr unsigned kKnown =
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
      CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
  return Driver<"cuMemHostRegister_v2">(DriverNeeds::kContext, [&] {
    return (Flags & ~kKnown) != 0 ? Error::kInvalidValue
                                  : RegisterHost(p, bytesize, Flags);
  });
}

CUresult cuMemHostUnregister(void* p) {
  return Driver<"cuMemHostUnregister">(
      DriverNeeds::kContext, [&] { return AfterWork(UnregisterHost, p); });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p,
                                      unsigned int Flags) {
  return Driver<"cuMemHostGetDevicePointer_v2">(DriverNeeds::kContext, [&] {
    const auto allocation = FindAllocation(p);
    if (pdptr == nullptr || Flags != 0 || !allocation ||
        allocation->kind != MemoryKind::kPinned) {
      return Error::kInvalidValue;
    }
    *pdptr = ToAddress(p);
    return Error::kSuccess;
  });
}

CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  return Driver<"cuMemHostGetFlags">(DriverNeeds::kContext, [&] {
    const auto allocation = FindAllocation(p);
    if (pFlags == nullptr || !allocation ||
        allocation->kind != MemoryKind::kPinned) {
      return Error::kInvalidValue;
    }
    *pFlags = allocation->flags;
    return Error::kSuccess;
  });
}
