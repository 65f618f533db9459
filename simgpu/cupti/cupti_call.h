// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_CUPTI_CALL_H_
#define DLTAP_SIMGPU_CUPTI_CUPTI_CALL_H_

#include "simgpu/base/api_scope.h"
#include "simgpu/base/teardown.h"
#include "simgpu/cupti/cupti_header.h"

namespace dltap::simgpu {

// What cuptiGetLastError gives: the last failure of this thread's calls.
void RememberCuptiError(CUptiResult result);
CUptiResult TakeCuptiError();

// One call of the CUPTI function kName: counted, and failing when
// DLTAP_SIM_FAULTS wants it to.
//   return Cupti<"cuptiActivityEnable">([&] { ... return CUPTI_SUCCESS; });
template <ApiName kName, typename Body>
CUptiResult Cupti(Body body) {
  CheckTeardown(kName.text);
  ApiScope scope(FunctionOf<"cupti", kName>());
  const CUptiResult result =
      scope.injected_error() != 0
          ? static_cast<CUptiResult>(scope.injected_error())
          : body();
  if (result != CUPTI_SUCCESS) [[unlikely]]
    RememberCuptiError(result);
  return result;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_CUPTI_CALL_H_
