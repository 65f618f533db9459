// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/library_versions.h"

namespace dltap::simgpu {

// Of CUDA 11.7: CUDART_VERSION, CUBLAS_VERSION, CUPTI_API_VERSION; cuDNN 8.
const LibraryVersions& GetLibraryVersions() {
  static constexpr LibraryVersions kVersions{11070, 111003, 17, 8};
  return kVersions;
}

}  // namespace dltap::simgpu
