// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn_version.h>
#include <cupti_version.h>

#include "simgpu/base/library_versions.h"

namespace dltap::simgpu {

// The numbers of the headers that the build uses.
const LibraryVersions& GetLibraryVersions() {
  static constexpr LibraryVersions kVersions{CUDART_VERSION, CUBLAS_VERSION,
                                             CUPTI_API_VERSION, CUDNN_MAJOR};
  return kVersions;
}

}  // namespace dltap::simgpu
