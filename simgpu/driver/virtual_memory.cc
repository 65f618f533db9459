// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/virtual_memory.h"

#include <cstring>
#include <optional>

#include "simgpu/driver/driver_call.h"

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

// What the properties ask for; kInvalidValue or kInvalidDevice.
Error ReadProperties(const CUmemAllocationProp& prop,
                     PhysicalProperties* properties) {
  static_assert(sizeof(prop) <= sizeof(properties->given));
  if (prop.type != CU_MEM_ALLOCATION_TYPE_PINNED) return Error::kInvalidValue;
  switch (prop.location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      properties->device = FindDevice(prop.location.id);
      if (properties->device == nullptr) return Error::kInvalidDevice;
      break;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: break;
    default: return Error::kInvalidValue;
  }
  // Fabric handles need hardware that is not simulated.
  const unsigned unknown =
      prop.requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (unknown != 0) return Error::kNotSupported;
  properties->handle_types = prop.requestedHandleTypes;
  std::memcpy(properties->given.data(), &prop, sizeof(prop));
  return Error::kSuccess;
}

// The device of a location; -1: the host; nullopt: no place for access.
std::optional<int> AccessorOf(const CUmemLocation& location) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE: return location.id;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: return -1;
    default: return std::nullopt;
  }
}

Error SetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc& desc) {
  const auto accessor = AccessorOf(desc.location);
  if (!accessor) return Error::kInvalidValue;
  if (*accessor >= 0 && FindDevice(*accessor) == nullptr) {
    return Error::kInvalidDevice;
  }
  return SetMappedAccess(ToPointer(ptr), size, *accessor,
                         static_cast<Access>(desc.flags));
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemGetAllocationGranularity(
    size_t* granularity, const CUmemAllocationProp* prop,
    CUmemAllocationGranularity_flags option) {
  return Driver<"cuMemGetAllocationGranularity">(DriverNeeds::kInit, [&] {
    if (granularity == nullptr || prop == nullptr ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
         option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)) {
      return Error::kInvalidValue;
    }
    PhysicalProperties properties;
    const Error error = ReadProperties(*prop, &properties);
    if (error == Error::kSuccess) *granularity = kAllocationGranularity;
    return error;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* prop,
                     unsigned long long flags) {
  return Driver<"cuMemCreate">(DriverNeeds::kInit, [&] {
    if (handle == nullptr || prop == nullptr || flags != 0) {
      return Error::kInvalidValue;
    }
    PhysicalProperties properties;
    Error error = ReadProperties(*prop, &properties);
    if (error != Error::kSuccess) return error;
    PhysicalMemory* memory = nullptr;
    error = CreatePhysical(properties, size, &memory);
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
    if (ptr == 0 || size == 0 || desc == nullptr || count == 0) {
      return Error::kInvalidValue;
    }
    for (size_t i = 0; i < count; ++i) {
      const Error error = SetAccess(ptr, size, desc[i]);
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags,
                        const CUmemLocation* location, CUdeviceptr ptr) {
  return Driver<"cuMemGetAccess">(DriverNeeds::kInit, [&] {
    const auto accessor =
        location == nullptr ? std::nullopt : AccessorOf(*location);
    if (flags == nullptr || !accessor) return Error::kInvalidValue;
    if (*accessor >= 0 && FindDevice(*accessor) == nullptr) {
      return Error::kInvalidDevice;
    }
    Access access = Access::kNone;
    const Error error = GetMappedAccess(ToPointer(ptr), *accessor, &access);
    if (error == Error::kSuccess) *flags = static_cast<unsigned>(access);
    return error;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(
    CUmemAllocationProp* prop, CUmemGenericAllocationHandle handle) {
  constexpr ApiName kName = "cuMemGetAllocationPropertiesFromHandle";
  return OnPhysical<kName>(handle, [&](const PhysicalMemory& memory) {
    if (prop == nullptr) return Error::kInvalidValue;
    std::memcpy(prop, memory.properties.given.data(), sizeof(*prop));
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
                                      unsigned long long flags) {
  return OnPhysical<"cuMemExportToShareableHandle">(
      handle, [&](PhysicalMemory& memory) {
        if (shareableHandle == nullptr || flags != 0 ||
            handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
          return Error::kInvalidValue;
        }
        return ExportPhysical(memory, static_cast<int*>(shareableHandle));
      });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle,
                                        void* osHandle,
                                        CUmemAllocationHandleType type) {
  return Driver<"cuMemImportFromShareableHandle">(DriverNeeds::kInit, [&] {
    if (handle == nullptr || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
      return Error::kInvalidValue;
    }
    PhysicalMemory* memory = nullptr;
    const int file = static_cast<int>(reinterpret_cast<intptr_t>(osHandle));
    const Error error = ImportPhysical(file, &memory);
    if (error == Error::kSuccess) *handle = ToAddress(memory);
    return error;
  });
}
