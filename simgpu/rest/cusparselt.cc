// SPDX-License-Identifier: Apache-2.0
#include "simgpu/rest/version_query.h"

namespace dltap::simgpu {

// cusparseLt.h of release 0.8; 3: CUSPARSE_STATUS_INVALID_VALUE.
constexpr LibraryVersion kCusparseLtVersion{0, 8, 0, 3};

SIMGPU_API int cusparseLtGetVersion(const void*, int* version) {
  return AnswerVersion(FunctionOf<"cusparselt", "cusparseLtGetVersion">(),
                       kCusparseLtVersion, version);
}

SIMGPU_API int cusparseLtGetProperty(int type, int* value) {
  return AnswerProperty(FunctionOf<"cusparselt", "cusparseLtGetProperty">(),
                        kCusparseLtVersion, type, value);
}

}  // namespace dltap::simgpu
