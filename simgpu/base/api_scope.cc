// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/api_scope.h"

#include <algorithm>
#include <utility>

#include "simgpu/base/activity.h"
#include "simgpu/base/call_params.h"
#include "simgpu/base/call_wants.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/counters.h"
#include "simgpu/base/faults.h"
#include "simgpu/base/host_cost.h"
#include "simgpu/base/scoped_faults.h"
#include "simgpu/base/thread_state.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<uint32_t> g_last_correlation_id{0};

// How often a thread that puts no work anywhere looks at a clock that stands
// still before its calls move it: everybody else may be waiting for the thread.
constexpr uint32_t kPatientCalls = 10'000;

// A thread that only looks on (NCCL's watchdog in PyTorch asks for its events
// every 100 ms) does so in real time, as often as it happens to: cheap calls of
// such a thread cost nothing. `cost_ns`: as without faults.
bool IsFree(ThreadState& thread, int64_t cost_ns) {
  if (cost_ns > kCheapCallNs || thread.puts_work) return false;
  const int64_t now_ns = SimNow();
  if (now_ns != thread.idle_since_ns) thread.idle_calls = 0;
  thread.idle_since_ns = now_ns;
  if (++thread.idle_calls <= kPatientCalls) return true;
  thread.idle_since_ns += cost_ns;
  return false;
}

// What a rank's own faults do to a call of a cost. In virtual time the cost,
// else what is waited for it: no call can take less than it does.
[[gnu::noinline, gnu::cold]] int64_t SufferFaults(const ThreadState& thread,
                                                  int64_t cost_ns) {
  MeetDeath(thread.device, thread.puts_work);
  const int64_t now_ns = SimNow();
  const double speed = HostSpeed(thread.device, now_ns);
  // Never nothing: a thread that polls would wait for ever.
  const auto slow_ns = std::max<int64_t>(
      1, static_cast<int64_t>(static_cast<double>(cost_ns) / speed));
  if (IsVirtualTime()) return slow_ns;
  const bool looks_on = cost_ns <= kCheapCallNs && !thread.puts_work;
  if (slow_ns > cost_ns && !looks_on) WaitUntil(now_ns + slow_ns - cost_ns);
  return cost_ns;
}

// Everything that a call does before its body, except the record.
ApiFunction& Enter(ApiFunction& function) {
  ThreadState& thread = CurrentThread();
  CountCall(function, thread.counts);
  const int64_t sound_ns = function.host_cost_ns;
  if (sound_ns == 0 || thread.nested_calls > 0) return function;
  int64_t cost_ns = sound_ns;
  if (HasScopedFaults()) [[unlikely]]
    cost_ns = SufferFaults(thread, sound_ns);
  if (IsVirtualTime() && !IsFree(thread, sound_ns)) SpendHostTime(cost_ns);
  return function;
}

ApiFunction& Registered(ApiFunction& function) {
  if (function.counter.load(std::memory_order_acquire) == 0) {
    RegisterFunction(function);
  }
  return function;
}

}  // namespace

ApiRecord::ApiRecord(ApiFunction& function, const void* params)
    : function_(function) {
  if (function.cbid != 0 && CallIsWanted(function)) [[unlikely]]
    Open(params);
}

void ApiRecord::Open(const void* params) {
  ThreadState& thread = CurrentThread();
  outer_correlation_id_ = thread.correlation_id;
  nested_ =
      thread.correlation_id != 0 && function_.domain == ApiDomain::kDriver;
  if (nested_ && !ActivityWanted(kApiCallbacks)) return;
  open_ = true;
  params_ = params == nullptr
                ? TakeCallParams({function_.domain, function_.cbid})
                : params;
  correlation_id_ =
      nested_
          ? outer_correlation_id_
          : g_last_correlation_id.fetch_add(1, std::memory_order_relaxed) + 1;
  thread.correlation_id = correlation_id_;
  begin_ns_ = CallTime();
  GetActivitySink().OnApiEnter({&function_, params_, correlation_id_,
                                thread.thread_id, begin_ns_, 0, 0, nested_});
}

void ApiRecord::Close() {
  ThreadState& thread = CurrentThread();
  thread.correlation_id = outer_correlation_id_;
  GetActivitySink().OnApiExit({&function_, params_, correlation_id_,
                               thread.thread_id, begin_ns_, CallTime(),
                               result_, nested_});
}

ApiFunction& ApiScope::Called(ApiFunction& function) {
  ThreadState& thread = CurrentThread();
  if (thread.call_as == nullptr) [[likely]]
    return function;
  ApiFunction& called = *std::exchange(thread.call_as, nullptr);
  called.body = function.body;
  return called;
}

CallAs::CallAs(ApiFunction& function) { CurrentThread().call_as = &function; }
CallAs::~CallAs() { CurrentThread().call_as = nullptr; }

// One call into this library, however many steps.
ApiScope::ApiScope(ApiFunction& function, const void* params)
    : ApiScope(params, Called(function)) {}

ApiScope::ApiScope(const void* params, ApiFunction& function)
    : record_(Enter(function), params) {
  if (function.fault != nullptr) [[unlikely]]
    injected_error_ = function.fault->Fire();
}

InnerCall::InnerCall(ApiFunction& function)
    : record_(Registered(function), nullptr) {}

uint32_t CurrentCorrelationId() { return CurrentThread().correlation_id; }

}  // namespace dltap::simgpu
