// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_CALL_PARAMS_H_
#define DLTAP_SIMGPU_BASE_CALL_PARAMS_H_

#include <cstdint>

#include "simgpu/base/activity.h"

namespace dltap::simgpu {

// Which function arguments belong to.
struct CallId {
  ApiDomain domain;
  uint32_t cbid;
};

// The functionParams that CUPTI's callbacks show of the call which this thread
// opens next, if it is of that function. Null: none.
void SetCallParams(CallId call, const void* params);
const void* TakeCallParams(CallId call);

// Around the body of an exported function while a client has subscribed to
// callbacks. Params is the vendor's structure (generated_cuda_meta.h); the
// exported functions are generated (entry_points/emit_call_params.py).
template <typename Params>
class CallParams {
 public:
  template <typename... Arguments>
  explicit CallParams(CallId call, Arguments... arguments)
      : params_{arguments...} {
    SetCallParams(call, &params_);
  }
  ~CallParams() { SetCallParams({}, nullptr); }  // if no record was opened
  CallParams(const CallParams&) = delete;
  CallParams& operator=(const CallParams&) = delete;

 private:
  Params params_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_CALL_PARAMS_H_
