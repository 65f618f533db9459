// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_CLOCK_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/activity/cupti/cupti_api.h"
#include "shim/tap/activity/cupti/tracing_session.h"

namespace dltap::shim::cupti {

// Times of activity records, in the clock of cuptiGetTimestamp. Once another
// client has registered a timestamp callback (Kineto does, with the raw cycle
// counter), all later records of the process come in its clock, ours too, and
// registering another one corrupts records: so they are mapped back, by pairs
// of readings of both clocks. cuptiGetTimestamp may follow the callback as
// well: then our clock goes on by the monotonic one.
class ActivityClock {
 public:
  using Callback = uint64_t (*)();

  // Both outlive it.
  constexpr ActivityClock(const TracingSession* session, const CuptiApi* api)
      : session_(session), api_(api) {}

  // Any thread, in a session. 0: CUPTI does not tell.
  uint64_t Now() const;

  // Any thread, around a client's registration of `callback` (null: CUPTI's own
  // again): records come in its clock from now on.
  void BeforeCallback();
  void AfterCallback(Callback callback);

  // Collector, before records are read: takes a pair of readings.
  void Sample();

  uint64_t ToCupti(uint64_t time) const;

 private:
  struct Pair {
    uint64_t foreign, cupti;
  };

  const TracingSession* session_;
  const CuptiApi* api_;
  std::atomic<Callback> callback_{nullptr};
  std::atomic<bool> lost_{false};      // cuptiGetTimestamp is not ours any more
  std::atomic<int64_t> offset_ns_{0};  // of ours to the monotonic clock
  Callback sampled_ = nullptr;         // whose pairs these are
  Pair first_{};
  Pair last_{};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_CLOCK_H_
