// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/version.h"

#include <cudnn.h>

#include <cstdio>
#include <cstdlib>

#include "simgpu/base/config.h"
#include "simgpu/base/library_versions.h"

namespace dltap::simgpu {
namespace {

constexpr CudnnVersion kNewest = {9, 26, 0};  // PyTorch 2.15
// The last release for GPUs before sm_75 (release notes of 9.11).
constexpr CudnnVersion kLastBeforeTuring = {9, 10, 2};
constexpr CudnnVersion kNewest8 = {8, 9, 7};
static_assert(kNewest.major == CUDNN_MAJOR && kNewest.minor >= CUDNN_MINOR);

CudnnVersion DefaultVersion() {
  const Config& config = GetConfig();
  if (GetLibraryVersions().cudnn_major == kNewest8.major) return kNewest8;
  const bool is_old =
      config.gpu != nullptr && config.cuda_version < 13000 &&
      config.gpu->compute_major * 10 + config.gpu->compute_minor < 75;
  return is_old ? kLastBeforeTuring : kNewest;
}

CudnnVersion ReadVersion() {
  const char* text = std::getenv("DLTAP_SIM_CUDNN_VERSION");
  const int major = GetLibraryVersions().cudnn_major;
  CudnnVersion version = {major, 0, 0};
  if (text == nullptr || *text == '\0') return DefaultVersion();
  if (std::sscanf(text, "%d.%d.%d", &version.major, &version.minor,
                  &version.patch) < 2 ||
      version.major != major) {
    std::fprintf(
        stderr,
        "dltap: simgpu: DLTAP_SIM_CUDNN_VERSION=%s: not a release of cuDNN "
        "%d\n",
        text, major);
    return DefaultVersion();
  }
  return version;
}

}  // namespace

const CudnnVersion& SimulatedCudnn() {
  static const CudnnVersion version = ReadVersion();
  return version;
}

}  // namespace dltap::simgpu
