// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_VERSION_H_
#define DLTAP_SIMGPU_CUBLAS_VERSION_H_

#include <cublas_api.h>
#include <cuda_runtime_api.h>

#include "simgpu/base/library_versions.h"

namespace dltap::simgpu {

// What the getters of cuBLAS and cuBLASLt answer.
inline int BlasVersion() { return GetLibraryVersions().cublas; }
cublasStatus_t BlasProperty(libraryPropertyType type, int* value);
const char* BlasStatusName(cublasStatus_t status);
const char* BlasStatusText(cublasStatus_t status);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_VERSION_H_
