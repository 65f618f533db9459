// SPDX-License-Identifier: Apache-2.0
#include "cuda12/versions.h"
#include "simgpu/base/library_versions.h"

namespace dltap::simgpu {
namespace {

constexpr int kCudnnMajor = 9;

}  // namespace

const LibraryVersions& GetLibraryVersions() {
  static constexpr LibraryVersions kVersions{
      DLTAP_CUDA12_CUDART_VERSION, DLTAP_CUDA12_CUBLAS_VERSION,
      DLTAP_CUDA12_CUPTI_API_VERSION, kCudnnMajor};
  return kVersions;
}

}  // namespace dltap::simgpu
