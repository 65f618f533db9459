// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CALLS_UNDER_WAY_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CALLS_UNDER_WAY_H_

#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace dltap::shim::cupti {

// Other clients' calls that have begun and not ended, in this process: of those
// that its parent had, a forked child has none. Any thread; before a session,
// too, and across its begin. A call that never comes to its end, because its
// thread is cancelled or jumps out of CUPTI, counts for ever: what it costs is
// that CUPTI stays the client's, and the trace says that we do not observe.
class CallsUnderWay {
 public:
  void Begin() {
    const uint64_t none = None();
    uint64_t calls = calls_.load();
    while (!calls_.compare_exchange_weak(
        calls, (IsOfProcess(calls, none) ? calls : none) + 1)) {
    }
  }
  // Also of a call that was begun in the parent.
  void End() {
    const uint64_t none = None();
    uint64_t calls = calls_.load();
    while (IsOfProcess(calls, none) && calls > none &&
           !calls_.compare_exchange_weak(calls, calls - 1)) {
    }
  }
  bool Any() const {
    const uint64_t none = None();
    const uint64_t calls = calls_.load();
    return IsOfProcess(calls, none) && calls > none;
  }

 private:
  static constexpr int kProcessShift = 32;

  static uint64_t None() {
    return static_cast<uint64_t>(getpid()) << kProcessShift;
  }
  static bool IsOfProcess(uint64_t calls, uint64_t none) {
    return calls >> kProcessShift == none >> kProcessShift;
  }

  std::atomic<uint64_t> calls_{0};  // the process, and their number
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CALLS_UNDER_WAY_H_
