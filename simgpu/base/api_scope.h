// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_API_SCOPE_H_
#define DLTAP_SIMGPU_BASE_API_SCOPE_H_

#include <cstdint>

#include "simgpu/base/api_function.h"
#include "simgpu/base/error.h"
#include "simgpu/base/thread_state.h"

namespace dltap::simgpu {

// An API record: while an activity client listens and the function has a cbid,
// the call appears to the client, under a correlation id of its own which the
// work submitted inside carries. Lives on the stack of the calling thread.
//
// A driver call that the runtime makes inside a call of its own has the id of
// that call, and only callbacks see it: traces of real devices show a kernel
// under its cudaLaunchKernel alone, while tools that subscribe to the driver's
// domain find the same kernel by the id of the cuLaunchKernel in it.
class ApiRecord {
 public:
  // REQUIRES: the function is registered. `params` are the callback API's
  // functionParams (may be null).
  ApiRecord(ApiFunction& function, const void* params);
  ~ApiRecord() {
    if (open_) Close();
  }
  ApiRecord(const ApiRecord&) = delete;
  ApiRecord& operator=(const ApiRecord&) = delete;

  void set_result(int result) { result_ = result; }

 private:
  void Open(const void* params);
  void Close();

  ApiFunction& function_;
  const void* params_ = nullptr;
  int64_t begin_ns_ = 0;
  uint32_t correlation_id_ = 0;
  uint32_t outer_correlation_id_ = 0;
  int result_ = 0;
  bool open_ = false;
  bool nested_ = false;
};

// One call of an exported function: counts it, spends its host time in virtual
// mode, and is an API record. Costs a few ns while no client listens; takes no
// lock and allocates only at a thread's first call.
class ApiScope {
 public:
  explicit ApiScope(ApiFunction& function, const void* params = nullptr);

  // The error DLTAP_SIM_FAULTS wants from this call; 0: none. A body that fails
  // for it must not do its work.
  int injected_error() const { return injected_error_; }

  // What the record shows as return value.
  void set_result(int result) { record_.set_result(result); }

 private:
  // `function`, or what CallAs says.
  static ApiFunction& Called(ApiFunction& function);
  ApiScope(const void* params, ApiFunction& function);

  ApiRecord record_;
  int injected_error_ = 0;
};

// While it lives, this thread's calls of exported functions are those of a
// simulated library, which has made sure that a device and a context exist.
// They count as any other, but cost no host time of their own.
class NestedCalls {
 public:
  NestedCalls() : thread_(CurrentThread()) { ++thread_.nested_calls; }
  ~NestedCalls() { --thread_.nested_calls; }
  NestedCalls(const NestedCalls&) = delete;
  NestedCalls& operator=(const NestedCalls&) = delete;

 private:
  ThreadState& thread_;
};

// The next call of this thread stands for a call of `function`: one counted
// call, one record. For an older form of a function that hands its arguments to
// the newer one.
class CallAs {
 public:
  explicit CallAs(ApiFunction& function);
  ~CallAs();
  CallAs(const CallAs&) = delete;
  CallAs& operator=(const CallAs&) = delete;
};

// A CUDA call that a library makes inside, seen by CUPTI but not through an
// exported symbol: not counted.
class InnerCall {
 public:
  explicit InnerCall(ApiFunction& function);

 private:
  ApiRecord record_;
};

// Correlation id of the innermost open API record of this thread; 0: none.
uint32_t CurrentCorrelationId();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_API_SCOPE_H_
