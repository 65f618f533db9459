// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>

#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/version.h"

namespace dltap::simgpu {

// These answer without a device, as the vendor's do.

SIMGPU_API cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  const ApiScope scope(FunctionOf<"cublas", "cublasGetVersion_v2">());
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = BlasVersion();
  return CUBLAS_STATUS_SUCCESS;
}

SIMGPU_API cublasStatus_t cublasGetProperty(libraryPropertyType type,
                                            int* value) {
  const ApiScope scope(FunctionOf<"cublas", "cublasGetProperty">());
  return BlasProperty(type, value);
}

SIMGPU_API size_t cublasGetCudartVersion() {
  const ApiScope scope(FunctionOf<"cublas", "cublasGetCudartVersion">());
  return GetLibraryVersions().cuda;
}

SIMGPU_API const char* cublasGetStatusName(cublasStatus_t status) {
  const ApiScope scope(FunctionOf<"cublas", "cublasGetStatusName">());
  return BlasStatusName(status);
}

SIMGPU_API const char* cublasGetStatusString(cublasStatus_t status) {
  const ApiScope scope(FunctionOf<"cublas", "cublasGetStatusString">());
  return BlasStatusText(status);
}

}  // namespace dltap::simgpu
