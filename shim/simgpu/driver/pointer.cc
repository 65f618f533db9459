// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "shim/simgpu/device/memory.h"
#include "shim/simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

template <typename T>
Error Write(void* out, T value) {
  std::memcpy(out, &value, sizeof(value));
  return Error::kSuccess;
}

unsigned MemoryTypeOf(MemoryKind kind) {
  return kind == MemoryKind::kPinned ? CU_MEMORYTYPE_HOST
                                     : CU_MEMORYTYPE_DEVICE;
}

// Of memory the driver knows.
Error ReadKnown(const Allocation& allocation, CUpointer_attribute attribute,
                CUdeviceptr address, void* out) {
  Device& device = *FindDevice(allocation.device);
  const bool managed = allocation.kind == MemoryKind::kManaged;
  const bool on_host = allocation.kind == MemoryKind::kPinned || managed;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return Write(out, ToHandle<CUcontext>(device.primary_context));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return Write(out, MemoryTypeOf(allocation.kind));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return Write(out, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!on_host) return Error::kInvalidValue;
      return Write(out, ToPointer(address));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return Write(out, allocation.owner == MemoryOwner::kMalloc ? 1u : 0u);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return Write(out, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return Write(out, managed ? 1u : 0u);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return Write(out, allocation.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return Write(out, allocation.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return Write(out, allocation.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return Write(out, allocation.base);
    case CU_POINTER_ATTRIBUTE_MAPPED: return Write(out, 1u);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return Write(out, uint64_t{0});
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return Write(out, ToHandle<CUmemoryPool>(allocation.pool));
    default: return Error::kNotSupported;
  }
}

Error Read(CUpointer_attribute attribute, CUdeviceptr address, void* out) {
  if (out == nullptr) return Error::kInvalidValue;
  const auto allocation = FindAllocation(ToPointer(address));
  if (!allocation) return Error::kInvalidValue;
  return ReadKnown(*allocation, attribute, address, out);
}

// cuPointerGetAttributes gives zeroes for memory it does not know.
void ReadOrZero(CUpointer_attribute attribute, CUdeviceptr address, void* out) {
  if (Read(attribute, address, out) == Error::kSuccess) return;
  const bool is_int = attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
                      attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
                      attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
                      attribute == CU_POINTER_ATTRIBUTE_MAPPED;
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
    Write(out, CU_DEVICE_INVALID);
  } else if (is_int) {
    Write(out, 0u);
  } else {
    Write(out, uint64_t{0});
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
    if (value == nullptr || !FindAllocation(ToPointer(ptr))) {
      return Error::kInvalidValue;
    }
    return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? Error::kSuccess
                                                         : Error::kInvalidValue;
  });
}
