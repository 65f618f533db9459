// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "simgpu/driver/driver_call.h"
#include "simgpu/memory/memory.h"
#include "simgpu/memory/memory_pool_attributes.h"
#include "simgpu/memory/virtual_memory.h"

namespace dltap::simgpu {
namespace {

template <typename T>
Error Write(void* out, T value) {
  std::memcpy(out, &value, sizeof(value));
  return Error::kSuccess;
}

Error WriteFlag(void* out, bool value) { return Write(out, value ? 1u : 0u); }

unsigned MemoryTypeOf(MemoryKind kind) {
  return kind == MemoryKind::kPinned ? CU_MEMORYTYPE_HOST
                                     : CU_MEMORYTYPE_DEVICE;
}

bool IsIpcCapable(const Allocation& allocation) {
  return allocation.owner == MemoryOwner::kMalloc &&
         allocation.kind == MemoryKind::kDevice;
}

uint64_t HandleTypesOf(const Allocation& allocation, const void* address) {
  if (allocation.pool != nullptr) {
    return allocation.pool->properties.handle_types;
  }
  PhysicalMemory* memory = RetainMapped(address);
  if (memory == nullptr) return 0;
  const uint64_t types = memory->properties.handle_types;
  ReleasePhysical(*memory);
  return types;
}

// What the current device may do with the memory.
Access AccessOf(const Allocation& allocation, const void* address) {
  const Device& device = CurrentDeviceState();
  Access access = Access::kReadWrite;
  if (allocation.owner == MemoryOwner::kMapped) {
    GetMappedAccess(address, device.ordinal, &access);
  } else if (allocation.owner == MemoryOwner::kPool) {
    GetPoolAccess(*allocation.pool, device.ordinal, &access);
  } else if (allocation.kind == MemoryKind::kDevice &&
             allocation.device != device.ordinal) {
    const bool peer = (device.peers.load() >> allocation.device & 1) != 0;
    access = peer ? Access::kReadWrite : Access::kNone;
  }
  return access;
}

// The addresses that the program was given: of mapped memory, the reservation.
Error WriteRange(const Allocation& allocation, CUpointer_attribute attribute,
                 const void* address, void* out) {
  uintptr_t base = allocation.base;
  size_t bytes = allocation.bytes;
  if (allocation.owner == MemoryOwner::kMapped) {
    FindReservation(address, &base, &bytes);
  }
  return attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ? Write(out, base)
                                                            : Write(out, bytes);
}

// Of memory the driver knows.
Error ReadKnown(const Allocation& allocation, CUpointer_attribute attribute,
                CUdeviceptr address, void* out) {
  const bool managed = allocation.kind == MemoryKind::kManaged;
  const bool on_host = allocation.kind == MemoryKind::kPinned || managed;
  const void* pointer = ToPointer(address);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return Write(out, ToHandle<CUcontext>(
                            FindDevice(allocation.device)->primary_context));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return Write(out, MemoryTypeOf(allocation.kind));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return Write(out, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return on_host ? Write(out, pointer) : Error::kInvalidValue;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return WriteFlag(out, allocation.sync_memops);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return WriteFlag(out, IsIpcCapable(allocation));
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return Write(out, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return WriteFlag(out, managed);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return Write(out, allocation.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return WriteRange(allocation, attribute, pointer, out);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return Write(out, allocation.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return Write(out, allocation.base);
    case CU_POINTER_ATTRIBUTE_MAPPED: return WriteFlag(out, true);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return Write(out, HandleTypesOf(allocation, pointer));
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return WriteFlag(out, false);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return Write(out, static_cast<unsigned>(AccessOf(allocation, pointer)));
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return Write(out, ToHandle<CUmemoryPool>(allocation.pool));
    default: return Error::kNotSupported;
  }
}

// Of addresses that are reserved and hold nothing.
Error ReadReserved(CUpointer_attribute attribute, uintptr_t base, size_t bytes,
                   void* out) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return Write(out, base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return Write(out, bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED: return WriteFlag(out, false);
    default: return Error::kInvalidValue;
  }
}

Error Read(CUpointer_attribute attribute, CUdeviceptr address, void* out) {
  if (out == nullptr) return Error::kInvalidValue;
  const void* pointer = ToPointer(address);
  if (const auto allocation = FindAllocation(pointer)) {
    return ReadKnown(*allocation, attribute, address, out);
  }
  uintptr_t base = 0;
  size_t bytes = 0;
  return FindReservation(pointer, &base, &bytes)
             ? ReadReserved(attribute, base, bytes, out)
             : Error::kInvalidValue;
}

// cuPointerGetAttributes gives zeroes for memory it does not know.
void ReadOrZero(CUpointer_attribute attribute, CUdeviceptr address, void* out) {
  if (Read(attribute, address, out) == Error::kSuccess) return;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      Write(out, CU_DEVICE_INVALID);
      return;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: Write(out, 0u); return;
    default: Write(out, uint64_t{0}); return;
  }
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute,
                               CUdeviceptr ptr) {
  return Driver<"cuPointerGetAttribute">(
      DriverNeeds::kInit, [&] { return Read(attribute, ptr, data); });
}

CUresult cuPointerGetAttributes(unsigned int numAttributes,
                                CUpointer_attribute* attributes, void** data,
                                CUdeviceptr ptr) {
  return Driver<"cuPointerGetAttributes">(DriverNeeds::kInit, [&] {
    if (attributes == nullptr || data == nullptr) return Error::kInvalidValue;
    for (unsigned i = 0; i < numAttributes; ++i) {
      ReadOrZero(attributes[i], ptr, data[i]);
    }
    return Error::kSuccess;
  });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                               CUdeviceptr ptr) {
  return Driver<"cuPointerSetAttribute">(DriverNeeds::kInit, [&] {
    const auto allocation = FindAllocation(ToPointer(ptr));
    if (value == nullptr || !allocation ||
        attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) {
      return Error::kInvalidValue;
    }
    unsigned wanted = 0;
    std::memcpy(&wanted, value, sizeof(wanted));
    ChangeAllocation(
        reinterpret_cast<void*>(allocation->base),
        [&](Allocation& known) { known.sync_memops = wanted != 0; });
    return Error::kSuccess;
  });
}
