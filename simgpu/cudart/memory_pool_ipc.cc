// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/memory/ipc_memory.h"
#include "simgpu/memory/memory_pool.h"

namespace dltap::simgpu {

static_assert(sizeof(cudaMemPoolPtrExportData) == kIpcHandleBytes);
static_assert(unsigned{cudaMemHandleTypePosixFileDescriptor} ==
              kPosixDescriptorHandles);

}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMemPoolExportToShareableHandle(
    void* shareableHandle, cudaMemPool_t memPool,
    cudaMemAllocationHandleType handleType, unsigned int flags) {
  return Runtime<"cudaMemPoolExportToShareableHandle">(Needs::kContext, [&] {
    const MemoryPool* pool = ToPool(memPool);
    if (pool == nullptr || shareableHandle == nullptr || flags != 0 ||
        handleType != cudaMemHandleTypePosixFileDescriptor) {
      return Error::kInvalidValue;
    }
    return ExportPool(*pool, static_cast<int*>(shareableHandle));
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(
    cudaMemPool_t* memPool, void* shareableHandle,
    cudaMemAllocationHandleType handleType, unsigned int flags) {
  return Runtime<"cudaMemPoolImportFromShareableHandle">(Needs::kContext, [&] {
    if (memPool == nullptr || flags != 0 ||
        handleType != cudaMemHandleTypePosixFileDescriptor) {
      return Error::kInvalidValue;
    }
    MemoryPool* pool = nullptr;
    const auto file = reinterpret_cast<intptr_t>(shareableHandle);
    const Error error = ImportPool(static_cast<int>(file), &pool);
    if (error == Error::kSuccess) *memPool = ToHandle<cudaMemPool_t>(pool);
    return error;
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* exportData,
                                     void* ptr) {
  return Runtime<"cudaMemPoolExportPointer">(Needs::kContext, [&] {
    return exportData == nullptr ? Error::kInvalidValue
                                 : ExportPoolPointer(ptr, exportData);
  });
}

cudaError_t cudaMemPoolImportPointer(void** ptr, cudaMemPool_t memPool,
                                     cudaMemPoolPtrExportData* exportData) {
  return Runtime<"cudaMemPoolImportPointer">(Needs::kContext, [&] {
    MemoryPool* pool = ToPool(memPool);
    if (ptr == nullptr || pool == nullptr || exportData == nullptr) {
      return Error::kInvalidValue;
    }
    return ImportPoolPointer(*pool, exportData, ptr);
  });
}
