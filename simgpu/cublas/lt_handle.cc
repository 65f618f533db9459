// SPDX-License-Identifier: Apache-2.0
#include <cublasLt.h>

#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/version.h"
#include "simgpu/stream/device.h"

struct cublasLtContext {};

namespace dltap::simgpu {

SIMGPU_API cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtCreate">(), [&] {
        if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
        if (InitializeDevices() != Error::kSuccess) {
          return CUBLAS_STATUS_NOT_INITIALIZED;
        }
        *handle = new cublasLtContext;
        return CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtDestroy">(), [&] {
        delete handle;  // a cublasHandle_t may not be passed here
        return CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API size_t cublasLtGetVersion() {
  const ApiScope scope(FunctionOf<"cublaslt", "cublasLtGetVersion">());
  return BlasVersion();
}

SIMGPU_API size_t cublasLtGetCudartVersion() {
  const ApiScope scope(FunctionOf<"cublaslt", "cublasLtGetCudartVersion">());
  return GetLibraryVersions().cuda;
}

SIMGPU_API cublasStatus_t cublasLtGetProperty(libraryPropertyType type,
                                              int* value) {
  const ApiScope scope(FunctionOf<"cublaslt", "cublasLtGetProperty">());
  return BlasProperty(type, value);
}

SIMGPU_API const char* cublasLtGetStatusName(cublasStatus_t status) {
  const ApiScope scope(FunctionOf<"cublaslt", "cublasLtGetStatusName">());
  return BlasStatusName(status);
}

SIMGPU_API const char* cublasLtGetStatusString(cublasStatus_t status) {
  const ApiScope scope(FunctionOf<"cublaslt", "cublasLtGetStatusString">());
  return BlasStatusText(status);
}

}  // namespace dltap::simgpu
