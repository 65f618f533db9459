// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_CLOCK_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_CLOCK_H_

#include <atomic>
#include <cstdint>

namespace dltap::shim::cupti {

// Times of activity records, in the clock of cuptiGetTimestamp. Once another
// client has registered a timestamp callback (Kineto does, with the raw cycle
// counter), all later records of the process come in its clock, ours too, and
// registering another one corrupts records: so they are mapped back, by pairs
// of readings of both clocks.
class ActivityClock {
 public:
  using Now = uint64_t (*)();

  // Any thread: records come in `callback`'s clock from now on. Null: in
  // CUPTI's own again.
  void SetCallback(Now callback) {
    callback_.store(callback, std::memory_order_release);
  }

  // Collector, before records are read: takes a pair of readings; `cupti_now`
  // is CUPTI's clock.
  void Sample(Now cupti_now);

  uint64_t ToCupti(uint64_t time) const;
  bool is_foreign() const { return sampled_ != nullptr; }

 private:
  struct Pair {
    uint64_t foreign, cupti;
  };

  std::atomic<Now> callback_{nullptr};
  Now sampled_ = nullptr;  // whose pairs these are
  Pair first_{};
  Pair last_{};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_CLOCK_H_
