// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/virtual_memory.h"

#include "shim/simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

PhysicalMemory* ToPhysical(CUmemGenericAllocationHandle handle) {
  return FromHandle<PhysicalMemory>(ToPointer(handle));
}

template <ApiName kName, typename Body>
CUresult OnPhysical(CUmemGenericAllocationHandle handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    PhysicalMemory* memory = ToPhysical(handle);
    return memory == nullptr ? Error::kInvalidValue : body(*memory);
  });
}

// Host locations are not simulated.
Device* DeviceOf(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? FindDevice(location.id)
                                                      : nullptr;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemGetAllocationGranularity(size_t* granularity,
                                       const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags) {
  return Driver<"cuMemGetAllocationGranularity">(DriverNeeds::kInit, [&] {
    if (granularity == nullptr || prop == nullptr) return Error::kInvalidValue;
    *granularity = kAllocationGranularity;
    return Error::kSuccess;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* prop,
                     unsigned long long flags) {
  return Driver<"cuMemCreate">(DriverNeeds::kInit, [&] {
    if (handle == nullptr || prop == nullptr || flags != 0) {
      return Error::kInvalidValue;
    }
    Device* device = DeviceOf(prop->location);
    if (device == nullptr) return Error::kInvalidDevice;
    PhysicalMemory* memory = nullptr;
    const Error error = CreatePhysical(*device, size, &memory);
    if (error == Error::kSuccess) *handle = ToAddress(memory);
    return error;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return OnPhysical<"cuMemRelease">(
      handle, [](PhysicalMemory& memory) { return ReleasePhysical(memory); });
}

CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment,
                             CUdeviceptr, unsigned long long flags) {
  return Driver<"cuMemAddressReserve">(DriverNeeds::kInit, [&] {
    if (ptr == nullptr || flags != 0) return Error::kInvalidValue;
    void* address = nullptr;
    const Error error = ReserveAddresses(size, alignment, &address);
    *ptr = ToAddress(address);
    return error;
  });
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  return Driver<"cuMemAddressFree">(
      DriverNeeds::kInit, [&] { return FreeAddresses(ToPointer(ptr), size); });
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return OnPhysical<"cuMemMap">(handle, [&](PhysicalMemory& memory) {
    if (flags != 0) return Error::kInvalidValue;
    return MapPhysical(ToPointer(ptr), size, offset, memory);
  });
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  return Driver<"cuMemUnmap">(
      DriverNeeds::kInit, [&] { return UnmapPhysical(ToPointer(ptr), size); });
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size,
                        const CUmemAccessDesc* desc, size_t count) {
  return Driver<"cuMemSetAccess">(DriverNeeds::kInit, [&] {
    if (ptr == 0 || size == 0 || (desc == nullptr && count != 0)) {
      return Error::kInvalidValue;
    }
    for (size_t i = 0; i < count; ++i) {
      if (desc[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
          FindDevice(desc[i].location.id) == nullptr) {
        return Error::kInvalidDevice;
      }
    }
    return Error::kSuccess;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation*,
                        CUdeviceptr) {
  return Driver<"cuMemGetAccess">(DriverNeeds::kInit, [&] {
    if (flags == nullptr) return Error::kInvalidValue;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return Error::kSuccess;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(
    CUmemAllocationProp* prop, CUmemGenericAllocationHandle handle) {
  return OnPhysical<
      "cuMemGetAllocationPropertiesFromHandle">(handle, [&](PhysicalMemory&
                                                                memory) {
    if (prop == nullptr) return Error::kInvalidValue;
    *prop = {};
    prop->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop->location = {CU_MEM_LOCATION_TYPE_DEVICE, {memory.device->ordinal}};
    return Error::kSuccess;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle,
                                     void* addr) {
  return Driver<"cuMemRetainAllocationHandle">(DriverNeeds::kInit, [&] {
    PhysicalMemory* memory = RetainMapped(addr);
    if (handle == nullptr || memory == nullptr) return Error::kInvalidValue;
    *handle = ToAddress(memory);
    return Error::kSuccess;
  });
}

CUresult cuMemExportToShareableHandle(void* shareableHandle,
                                      CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long) {
  return OnPhysical<"cuMemExportToShareableHandle">(
      handle, [&](PhysicalMemory& memory) {
        if (shareableHandle == nullptr) return Error::kInvalidValue;
        if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
          return Error::kNotSupported;
        }
        return ExportPhysical(memory, static_cast<int*>(shareableHandle));
      });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle,
                                        void* osHandle,
                                        CUmemAllocationHandleType type) {
  return Driver<"cuMemImportFromShareableHandle">(DriverNeeds::kInit, [&] {
    if (handle == nullptr) return Error::kInvalidValue;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
      return Error::kNotSupported;
    }
    PhysicalMemory* memory = nullptr;
    const int file = static_cast<int>(reinterpret_cast<intptr_t>(osHandle));
    const Error error = ImportPhysical(CurrentDeviceState(), file, &memory);
    if (error == Error::kSuccess) *handle = ToAddress(memory);
    return error;
  });
}
