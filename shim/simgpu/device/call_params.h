// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_CALL_PARAMS_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_CALL_PARAMS_H_

#include <cstdint>
#include <new>

#include "shim/simgpu/device/activity.h"

namespace dltap::simgpu {

// The functionParams that CUPTI's callbacks show of the call which this thread
// opens next. Null: none; taken by that call.
void SetCallParams(const void* params);
const void* TakeCallParams();

// First in an exported function, before it opens its record:
//   const CallParams<cuMemAlloc_v2_params> params{dptr, bytesize};
// Params is the vendor's structure (generated_cuda_meta.h). Filled only while a
// client has subscribed to callbacks.
template <typename Params>
class CallParams {
 public:
  template <typename... Arguments>
  explicit CallParams(Arguments... arguments) {
    if (ActivityWanted(kApiCallbacks)) [[unlikely]] {
      SetCallParams(new (storage_) Params{arguments...});
      is_set_ = true;
    }
  }
  ~CallParams() {
    if (is_set_) [[unlikely]]
      TakeCallParams();  // nobody opened a record
  }
  CallParams(const CallParams&) = delete;
  CallParams& operator=(const CallParams&) = delete;

 private:
  alignas(Params) unsigned char storage_[sizeof(Params)];
  bool is_set_ = false;
};

// What a callback is told of the calling thread's context.
struct CallContext {
  void* handle;
  uint32_t id;
};
CallContext CurrentCallContext();

// The mangled name of a CUfunction or of a kernel's host stub; null: unknown.
const char* NameOfKernel(const void* stub_or_handle);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_CALL_PARAMS_H_
