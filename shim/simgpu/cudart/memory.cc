// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/memory.h"

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/capture.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kPitchAlignment = 512;

Error AllocateChecked(size_t bytes, MemoryKind kind, void** address) {
  if (address == nullptr) return Error::kInvalidValue;
  if (const Error unsafe = CheckUnsafeCall(); unsafe != Error::kSuccess) {
    return unsafe;
  }
  return AllocateDevice(ActiveDevice(), bytes, kind, MemoryOwner::kMalloc,
                        address);
}

template <ApiName kName>
cudaError_t HostAlloc(void** address, size_t bytes, unsigned flags) {
  constexpr unsigned kKnown =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  return Runtime<kName>(Needs::kContext, [&] {
    if (address == nullptr || (flags & ~kKnown) != 0) {
      return Error::kInvalidValue;
    }
    if (const Error unsafe = CheckUnsafeCall(); unsafe != Error::kSuccess) {
      return unsafe;
    }
    return AllocateHost(bytes, flags, address);
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
    // The driver refuses zero bytes, the runtime gives a null pointer.
    if (size == 0) return AllocateChecked(0, MemoryKind::kDevice, devPtr);
    return FromDriver(
        driver.mem_alloc(reinterpret_cast<CUdeviceptr*>(devPtr), size));
  });
}

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return Runtime<"cudaMallocManaged">(Needs::kContext, [&] {
    if (size == 0 ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
      return Error::kInvalidValue;
    }
    return AllocateChecked(size, MemoryKind::kManaged, devPtr);
  });
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width,
                            size_t height) {
  return Runtime<"cudaMallocPitch">(Needs::kContext, [&] {
    if (pitch == nullptr) return Error::kInvalidValue;
    *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    return AllocateChecked(*pitch * height, MemoryKind::kDevice, devPtr);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  return Runtime<"cudaMalloc3D">(Needs::kContext, [&] {
    if (pitchedDevPtr == nullptr) return Error::kInvalidValue;
    const size_t pitch = (extent.width + kPitchAlignment - 1) /
                         kPitchAlignment * kPitchAlignment;
    *pitchedDevPtr = {nullptr, pitch, extent.width, extent.height};
    return AllocateChecked(pitch * extent.height * extent.depth,
                           MemoryKind::kDevice, &pitchedDevPtr->ptr);
  });
}

cudaError_t cudaFree(void* devPtr) {
  return Runtime<"cudaFree">(Needs::kContext, [&] {
    Device& device = ActiveDevice();
    if (devPtr == nullptr) return Error::kSuccess;
    // The memory may be in use: the vendor's function waits as well.
    if (const Error error = WaitForDevice(device); error != Error::kSuccess) {
      return error;
    }
    const auto allocation = FindAllocation(devPtr);
    if (allocation && allocation->owner == MemoryOwner::kPool) {
      return FreeToPool(devPtr, *device.legacy_stream);
    }
    return FreeDevice(devPtr);
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return Runtime<"cudaMemGetInfo">(Needs::kContext, [&] {
    if (free == nullptr || total == nullptr) return Error::kInvalidValue;
    const Device& device = ActiveDevice();
    *total = device.memory_bytes;
    *free = device.memory_bytes - device.used_bytes.load();
    return Error::kSuccess;
  });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return HostAlloc<"cudaHostAlloc">(pHost, size, flags);
}

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return HostAlloc<"cudaMallocHost">(ptr, size, 0);
}

cudaError_t cudaFreeHost(void* ptr) {
  return Runtime<"cudaFreeHost">(Needs::kContext, [&] {
    if (ptr == nullptr) return Error::kSuccess;
    if (const Error error = WaitForDevice(ActiveDevice());
        error != Error::kSuccess) {
      return error;
    }
    return FreeHost(ptr);
  });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  constexpr unsigned kKnown =
      cudaHostRegisterPortable | cudaHostRegisterMapped |
      cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  return Runtime<"cudaHostRegister">(Needs::kContext, [&] {
    return (flags & ~kKnown) != 0 ? Error::kInvalidValue
                                  : RegisterHost(ptr, size, flags);
  });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return Runtime<"cudaHostUnregister">(Needs::kContext, [&] {
    const Error error = SynchronizeDevice(ActiveDevice());
    return error != Error::kSuccess ? error : UnregisterHost(ptr);
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
