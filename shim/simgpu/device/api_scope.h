// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_API_SCOPE_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_API_SCOPE_H_

#include <cstdint>

#include "shim/simgpu/device/api_function.h"
#include "shim/simgpu/device/error.h"

namespace dltap::simgpu {

// One call of an exported function: counts it, spends its host time in virtual
// mode, and, while an activity client listens and the function has a cbid, is
// an API record whose correlation id the work submitted inside carries.
// Lives on the stack of the calling thread. Costs a few ns while nobody
// listens; takes no lock and allocates only at a thread's first call.
class ApiScope {
 public:
  // `params` are the callback API's functionParams (may be null). `symbol`
  // handed to clients is function.name.
  explicit ApiScope(ApiFunction& function, const void* params = nullptr);
  ~ApiScope();
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;

  // The error DLTAP_SIM_FAULTS wants from this call; kSuccess: none. A body
  // that fails for it must not do its work.
  int injected_error() const { return injected_error_; }

  // What the record shows as return value.
  void set_result(int result) { result_ = result; }

 private:
  void Open(const void* params);
  void Close();

  ApiFunction& function_;
  const void* params_ = nullptr;
  int64_t begin_ns_ = 0;
  uint32_t correlation_id_ = 0;
  uint32_t outer_correlation_id_ = 0;
  int injected_error_ = 0;
  int result_ = 0;
  bool open_ = false;
};

// Correlation id of the innermost open API record of this thread; 0: none.
uint32_t CurrentCorrelationId();

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_API_SCOPE_H_
