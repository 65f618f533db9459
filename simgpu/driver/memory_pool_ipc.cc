// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/ipc_memory.h"
#include "simgpu/memory/memory_pool.h"

namespace dltap::simgpu {

static_assert(sizeof(CUmemPoolPtrExportData) == kIpcHandleBytes);

namespace body {

Error MemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool,
                                     CUmemAllocationHandleType handleType,
                                     unsigned long long flags) {
  const auto* found = FromHandle<MemoryPool>(pool);
  if (found == nullptr || handle_out == nullptr || flags != 0 ||
      handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    return Error::kInvalidValue;
  }
  return ExportPool(*found, static_cast<int*>(handle_out));
}

Error MemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle,
                                       CUmemAllocationHandleType handleType,
                                       unsigned long long flags) {
  if (pool_out == nullptr || flags != 0 ||
      handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    return Error::kInvalidValue;
  }
  MemoryPool* pool = nullptr;
  const auto file = reinterpret_cast<intptr_t>(handle);
  const Error error = ImportPool(static_cast<int>(file), &pool);
  if (error == Error::kSuccess) *pool_out = ToHandle<CUmemoryPool>(pool);
  return error;
}

Error MemPoolExportPointer(CUmemPoolPtrExportData* shareData_out,
                           CUdeviceptr ptr) {
  return shareData_out == nullptr
             ? Error::kInvalidValue
             : ExportPoolPointer(ToPointer(ptr), shareData_out);
}

Error MemPoolImportPointer(CUdeviceptr* ptr_out, CUmemoryPool pool,
                           CUmemPoolPtrExportData* shareData) {
  auto* found = FromHandle<MemoryPool>(pool);
  if (ptr_out == nullptr || found == nullptr || shareData == nullptr) {
    return Error::kInvalidValue;
  }
  void* address = nullptr;
  const Error error = ImportPoolPointer(*found, shareData, &address);
  if (error == Error::kSuccess) *ptr_out = ToAddress(address);
  return error;
}

}  // namespace body
}  // namespace dltap::simgpu
