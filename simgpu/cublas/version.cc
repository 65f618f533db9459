// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/version.h"

namespace dltap::simgpu {
namespace {

struct StatusText {
  cublasStatus_t status;
  const char* name;
  const char* text;
};

constexpr StatusText kTexts[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS",
     "the operation completed successfully"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED",
     "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the device"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the GPU program failed to execute"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR",
     "an internal cuBLAS operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
     "the functionality requested requires a license"},
};

const StatusText* Find(cublasStatus_t status) {
  for (const StatusText& row : kTexts) {
    if (row.status == status) return &row;
  }
  return nullptr;
}

}  // namespace

cublasStatus_t BlasProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION: *value = BlasVersion() / 10000; break;
    case MINOR_VERSION: *value = BlasVersion() / 100 % 100; break;
    case PATCH_LEVEL: *value = BlasVersion() % 100; break;
    default: return CUBLAS_STATUS_INVALID_VALUE;
  }
  return CUBLAS_STATUS_SUCCESS;
}

const char* BlasStatusName(cublasStatus_t status) {
  const StatusText* row = Find(status);
  return row == nullptr ? "CUBLAS_STATUS_UNKNOWN" : row->name;
}

const char* BlasStatusText(cublasStatus_t status) {
  const StatusText* row = Find(status);
  return row == nullptr ? "unknown error" : row->text;
}

}  // namespace dltap::simgpu
