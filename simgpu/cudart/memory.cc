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

template <ApiName kName>
cudaError_t HostAlloc(void** address, size_t bytes, unsigned flags) {
  return ByDriver<kName>([&](const DriverTable& driver) {
    return bytes == 0
               ? GiveNull(address)
               : FromDriver(driver.mem_host_alloc(address, bytes, flags));
  });
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
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return ByDriver<"cudaMalloc">([&](const DriverTable& driver) {
    return size == 0 ? GiveNull(devPtr)
                     : FromDriver(driver.mem_alloc(ToOut(devPtr), size));
  });
}

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return ByDriver<"cudaMallocManaged">([&](const DriverTable& driver) {
    return FromDriver(driver.mem_alloc_managed(ToOut(devPtr), size, flags));
  });
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width,
                            size_t height) {
  return ByDriver<"cudaMallocPitch">([&](const DriverTable& driver) {
    return AllocatePitched(driver, devPtr, pitch, width, height);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  return ByDriver<"cudaMalloc3D">([&](const DriverTable& driver) {
    if (pitchedDevPtr == nullptr) return Error::kInvalidValue;
    *pitchedDevPtr = {nullptr, 0, extent.width, extent.height};
    return AllocatePitched(driver, &pitchedDevPtr->ptr, &pitchedDevPtr->pitch,
                           extent.width, extent.height * extent.depth);
  });
}

cudaError_t cudaFree(void* devPtr) {
  return ByDriver<"cudaFree">([&](const DriverTable& driver) {
    return devPtr == nullptr ? Error::kSuccess
                             : FromDriver(driver.mem_free(
                                   reinterpret_cast<CUdeviceptr>(devPtr)));
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return ByDriver<"cudaMemGetInfo">([&](const DriverTable& driver) {
    return FromDriver(driver.mem_get_info(free, total));
  });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return HostAlloc<"cudaHostAlloc">(pHost, size, flags);
}

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return HostAlloc<"cudaMallocHost">(ptr, size, 0);
}

cudaError_t cudaFreeHost(void* ptr) {
  return ByDriver<"cudaFreeHost">([&](const DriverTable& driver) {
    return ptr == nullptr ? Error::kSuccess
                          : FromDriver(driver.mem_free_host(ptr));
  });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  return ByDriver<"cudaHostRegister">([&](const DriverTable& driver) {
    return FromDriver(driver.mem_host_register(ptr, size, flags));
  });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return ByDriver<"cudaHostUnregister">([&](const DriverTable& driver) {
    return FromDriver(driver.mem_host_unregister(ptr));
  });
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost,
                                     unsigned int flags) {
  return Runtime<"cudaHostGetDevicePointer">(Needs::kContext, [&] {
    const auto allocation = FindAllocation(pHost);
    if (pDevice == nullptr || flags != 0 || !allocation ||
        allocation->kind != MemoryKind::kPinned) {
      return Error::kInvalidValue;
    }
    *pDevice = pHost;
    return Error::kSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  return Runtime<"cudaHostGetFlags">(Needs::kContext, [&] {
    const auto allocation = FindAllocation(pHost);
    if (pFlags == nullptr || !allocation ||
        allocation->kind != MemoryKind::kPinned) {
      return Error::kInvalidValue;
    }
    *pFlags = allocation->flags;
    return Error::kSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                     const void* ptr) {
  return Runtime<"cudaPointerGetAttributes">(Needs::kContext, [&] {
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
  });
}
