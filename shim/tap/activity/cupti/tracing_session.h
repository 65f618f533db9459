// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_TRACING_SESSION_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_TRACING_SESSION_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/activity/source.h"

namespace dltap::shim::cupti {

// The session that the objects of this folder work for.
class TracingSession {
 public:
  // Collector, at its begin: the runtime may be called from now on.
  void Connect(const SourceRuntime& runtime) { runtime_ = runtime; }
  // Everything is set up: other threads may come in.
  void Begin() { number_.store(runtime_.session(), std::memory_order_release); }

  // False before Begin(), and in a forked child: there CUPTI must not be
  // called.
  bool IsCurrent() const {
    const uint32_t number = number_.load(std::memory_order_acquire);
    return number != 0 && runtime_.session() == number;
  }
  const SourceRuntime& runtime() const { return runtime_; }

 private:
  SourceRuntime runtime_{};
  std::atomic<uint32_t> number_{0};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_TRACING_SESSION_H_
