// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_LIBRARY_VERSIONS_H_
#define DLTAP_SIMGPU_BASE_LIBRARY_VERSIONS_H_

#include <cstdint>

namespace dltap::simgpu {

// What a library answers when asked for its version. Libraries with the CUDA
// version in their file name, and cuDNN's, are linked with one of
// library_versions_cuda1[123].cc; those that serve both ask
// Config::cuda_version.
struct LibraryVersions {
  int cuda;
  int cublas;
  uint32_t cupti_api;
  int cudnn_major;
};

const LibraryVersions& GetLibraryVersions();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_LIBRARY_VERSIONS_H_
