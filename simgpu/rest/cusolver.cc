// SPDX-License-Identifier: Apache-2.0
#include "simgpu/rest/version_query.h"

namespace dltap::simgpu {

// cusolver_common.h of CUDA 13.0; 3: CUSOLVER_STATUS_INVALID_VALUE.
constexpr LibraryVersion kCusolverVersion{12, 0, 4, 3};

SIMGPU_API int cusolverGetVersion(int* version) {
  return AnswerVersion(FunctionOf<"cusolver", "cusolverGetVersion">(),
                       kCusolverVersion, version);
}

SIMGPU_API int cusolverGetProperty(int type, int* value) {
  return AnswerProperty(FunctionOf<"cusolver", "cusolverGetProperty">(),
                        kCusolverVersion, type, value);
}

}  // namespace dltap::simgpu
