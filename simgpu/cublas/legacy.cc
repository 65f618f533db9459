// SPDX-License-Identifier: Apache-2.0
#include <cublas.h>

#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/blas_call.h"
#include "simgpu/memory/memory.h"
#include "simgpu/stream/device.h"

// The first version of the API: one implicit handle per process.

namespace dltap::simgpu {

SIMGPU_API cublasStatus cublasInit() {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublas", "cublasInit">(), [] {
        return InitializeDevices() == Error::kSuccess
                   ? CUBLAS_STATUS_SUCCESS
                   : CUBLAS_STATUS_NOT_INITIALIZED;
      });
}

SIMGPU_API cublasStatus cublasAlloc(int n, int element_bytes, void** address) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublas", "cublasAlloc">(), [&] {
        if (n <= 0 || element_bytes <= 0 || address == nullptr) {
          return CUBLAS_STATUS_INVALID_VALUE;
        }
        if (InitializeDevices() != Error::kSuccess) {
          return CUBLAS_STATUS_NOT_INITIALIZED;
        }
        const size_t bytes = static_cast<size_t>(n) * element_bytes;
        return AllocateDevice(CurrentDeviceState(), bytes, MemoryKind::kDevice,
                              MemoryOwner::kMalloc, address) == Error::kSuccess
                   ? CUBLAS_STATUS_SUCCESS
                   : CUBLAS_STATUS_ALLOC_FAILED;
      });
}

SIMGPU_API cublasStatus cublasFree(void* address) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublas", "cublasFree">(), [&] {
        return FreeDevice(address) == Error::kSuccess
                   ? CUBLAS_STATUS_SUCCESS
                   : CUBLAS_STATUS_INTERNAL_ERROR;
      });
}

SIMGPU_API cublasStatus cublasSetKernelStream(cudaStream_t stream) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublas", "cublasSetKernelStream">(), [&] {
        SetLegacyBlasStream(stream);
        return CUBLAS_STATUS_SUCCESS;
      });
}

}  // namespace dltap::simgpu
