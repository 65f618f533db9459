// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/capture.h"

namespace dltap::simgpu {
namespace {

// cudaMallocPitch and cudaMalloc3D do not know of what the rows consist.
constexpr unsigned kElementBytes = 4;

CUdeviceptr* ToOut(void** address) {
  return reinterpret_cast<CUdeviceptr*>(address);
}

// The driver refuses zero bytes, the runtime gives a null pointer.
Error GiveNull(void** address) {
  if (address == nullptr) return Error::kInvalidValue;
  *address = nullptr;
  return CheckUnsafeCall();
}

Error AllocatePitched(const DriverTable& driver, void** address, size_t* pitch,
                      size_t width, size_t rows) {
  if (address == nullptr || pitch == nullptr) return Error::kInvalidValue;
  if (width == 0 || rows == 0) {
    *pitch = 0;
    return GiveNull(address);
  }
  return FromDriver(driver.mem_alloc_pitch(ToOut(address), pitch, width, rows,
                                           kElementBytes));
}

cudaMemoryType ToMemoryType(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice:
    case MemoryKind::kArray: return cudaMemoryTypeDevice;
    case MemoryKind::kManaged: return cudaMemoryTypeManaged;
    case MemoryKind::kPinned: return cudaMemoryTypeHost;
    case MemoryKind::kPageable: break;
  }
  return cudaMemoryTypeUnregistered;
}

}  // namespace

namespace body {

Error Malloc(const DriverTable& driver, void** devPtr, size_t size) {
  return size == 0 ? GiveNull(devPtr)
                   : FromDriver(driver.mem_alloc(ToOut(devPtr), size));
}

Error MallocPitch(const DriverTable& driver, void** devPtr, size_t* pitch,
                  size_t width, size_t height) {
  return AllocatePitched(driver, devPtr, pitch, width, height);
}

Error Malloc3D(const DriverTable& driver, cudaPitchedPtr* pitchedDevPtr,
               cudaExtent extent) {
  if (pitchedDevPtr == nullptr) return Error::kInvalidValue;
  *pitchedDevPtr = {nullptr, 0, extent.width, extent.height};
  return AllocatePitched(driver, &pitchedDevPtr->ptr, &pitchedDevPtr->pitch,
                         extent.width, extent.height * extent.depth);
}

Error Free(const DriverTable& driver, void* devPtr) {
  return devPtr == nullptr ? Error::kSuccess
                           : FromDriver(driver.mem_free(
                                 reinterpret_cast<CUdeviceptr>(devPtr)));
}

Error HostAlloc(const DriverTable& driver, void** out, size_t bytes,
                unsigned flags) {
  return bytes == 0 ? GiveNull(out)
                    : FromDriver(driver.mem_host_alloc(out, bytes, flags));
}

Error MallocHost(const DriverTable& driver, void** out, size_t bytes) {
  return HostAlloc(driver, out, bytes, 0);
}

Error FreeHost(const DriverTable& driver, void* ptr) {
  return ptr == nullptr ? Error::kSuccess
                        : FromDriver(driver.mem_free_host(ptr));
}

Error PointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  if (attributes == nullptr) return Error::kInvalidValue;
  *attributes = {};
  const auto allocation = FindAllocation(ptr);
  if (!allocation) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2;  // cudaInvalidDeviceId
    attributes->hostPointer = const_cast<void*>(ptr);
    return Error::kSuccess;
  }
  attributes->type = ToMemoryType(allocation->kind);
  attributes->device = allocation->device;
  attributes->devicePointer = const_cast<void*>(ptr);
  if (allocation->kind != MemoryKind::kDevice) {
    attributes->hostPointer = const_cast<void*>(ptr);
  }
  return Error::kSuccess;
}

}  // namespace body
}  // namespace dltap::simgpu
