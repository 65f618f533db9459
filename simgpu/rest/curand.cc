// SPDX-License-Identifier: Apache-2.0
#include "simgpu/rest/version_query.h"

namespace dltap::simgpu {

// curand.h of CUDA 13.0; 104: CURAND_STATUS_OUT_OF_RANGE.
constexpr LibraryVersion kCurandVersion{10, 4, 0, 104};

SIMGPU_API int curandGetVersion(int* version) {
  return AnswerVersion(FunctionOf<"curand", "curandGetVersion">(),
                       kCurandVersion, version);
}

SIMGPU_API int curandGetProperty(int type, int* value) {
  return AnswerProperty(FunctionOf<"curand", "curandGetProperty">(),
                        kCurandVersion, type, value);
}

}  // namespace dltap::simgpu
