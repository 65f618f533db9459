// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_NCCL_NCCL_CALL_H_
#define DLTAP_SHIM_SIMGPU_NCCL_NCCL_CALL_H_

#pragma GCC visibility push(default)
#include <nccl.h>
#pragma GCC visibility pop

#include "shim/simgpu/device/api/api_scope.h"

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

#endif  // DLTAP_SHIM_SIMGPU_NCCL_NCCL_CALL_H_
