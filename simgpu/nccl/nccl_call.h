// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_NCCL_CALL_H_
#define DLTAP_SIMGPU_NCCL_NCCL_CALL_H_

#pragma GCC visibility push(default)
#include <nccl.h>
#pragma GCC visibility pop

#include "simgpu/base/api_scope.h"

namespace dltap::simgpu {

// One call of the NCCL function kName.
template <ApiName kName, typename Body>
ncclResult_t Nccl(Body body) {
  ApiScope scope(FunctionOf<"nccl", kName>());
  if (scope.injected_error() != 0) [[unlikely]] {
    return static_cast<ncclResult_t>(scope.injected_error());
  }
  return body();
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_NCCL_CALL_H_
