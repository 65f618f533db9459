// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/activity_clock.h"

namespace dltap::shim::cupti {
namespace {

// Clocks further apart than this are not the same one.
constexpr int64_t kJumpNs = 1'000'000'000;

uint64_t Distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

uint64_t ActivityClock::Now() const {
  if (lost_.load(std::memory_order_acquire)) {
    return session_->runtime().monotonic_ns() +
           static_cast<uint64_t>(offset_ns_.load(std::memory_order_relaxed));
  }
  uint64_t now = 0;
  return api_->get_timestamp(&now) == CUPTI_SUCCESS ? now : 0;
}

void ActivityClock::BeforeCallback() {
  if (lost_.load(std::memory_order_relaxed)) return;
  offset_ns_.store(
      static_cast<int64_t>(Now() - session_->runtime().monotonic_ns()),
      std::memory_order_relaxed);
}

void ActivityClock::AfterCallback(Callback callback) {
  callback_.store(callback, std::memory_order_release);
  if (!session_->IsCurrent()) return;
  uint64_t now = 0;
  api_->get_timestamp(&now);
  const auto expected =
      static_cast<int64_t>(session_->runtime().monotonic_ns()) +
      offset_ns_.load(std::memory_order_relaxed);
  const int64_t jump = static_cast<int64_t>(now) - expected;
  const bool follows = jump > kJumpNs || jump < -kJumpNs;
  lost_.store(callback != nullptr && follows, std::memory_order_release);
}

void ActivityClock::Sample() {
  const Callback callback = callback_.load(std::memory_order_acquire);
  if (callback == nullptr) {
    sampled_ = nullptr;
    return;
  }
  // The foreign reading is taken between two of ours; the middle belongs to it.
  const uint64_t before = Now();
  const uint64_t foreign = callback();
  const uint64_t after = Now();
  const Pair pair = {foreign, before + (after - before) / 2};
  if (callback != sampled_) {
    sampled_ = callback;
    first_ = pair;
  }
  last_ = pair;
}

uint64_t ActivityClock::ToCupti(uint64_t time) const {
  if (sampled_ == nullptr) return time;
  // Records made before the callback was registered still have CUPTI's times,
  // whenever they are read. Two clocks that matter lie far apart.
  if (Distance(time, last_.cupti) < Distance(time, last_.foreign)) return time;
  const auto offset = static_cast<int64_t>(time - last_.foreign);
  const uint64_t foreign_span = last_.foreign - first_.foreign;
  const uint64_t cupti_span = last_.cupti - first_.cupti;
  // Until the pairs lie apart, ticks are taken for nanoseconds.
  const double rate = foreign_span == 0 ? 1.0
                                        : static_cast<double>(cupti_span) /
                                              static_cast<double>(foreign_span);
  return last_.cupti + static_cast<uint64_t>(static_cast<int64_t>(
                           static_cast<double>(offset) * rate));
}

}  // namespace dltap::shim::cupti
