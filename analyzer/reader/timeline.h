// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TIMELINE_H_
#define DLTAP_ANALYZER_READER_TIMELINE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/model/trace_model.h"
#include "analyzer/reader/clock_map.h"
#include "shim/trace/records.h"

namespace dltap::analyzer {

// What processes of one boot share, by boot id: real time minus the clock of
// their traces.
struct RealtimeOffsets {
  // CLOCK_REALTIME minus CLOCK_MONOTONIC: a clock step between their starts
  // does not part them.
  std::map<std::string, int64_t> by_boot;

  // Of virtual clocks, which begin anew in each process. Processes that ran
  // side by side (ranks) agree on them; what followed them came later.
  struct Virtual {
    int64_t begin_ns = 0;  // in real time, of those that share it
    int64_t end_ns = 0;
    int64_t offset_ns = 0;
  };
  std::map<std::string, std::vector<Virtual>> of_virtual;
};

// The one place where ticks and activity time become trace time: ns on the
// monotonic clock, moved to real time once per boot so that hosts compare.
// Any input gives a time; hostile ones are clamped.
class Timeline {
 public:
  void AddAnchor(const trace::AnchorRecord& anchor);
  // After the last anchor, before the first look-up.
  void Finish(trace::ClockKind kind, uint64_t ticks_per_second,
              const std::string& boot_id, RealtimeOffsets& offsets);

  int64_t FromTicks(uint64_t ticks) const {
    return Clamped(identity_ ? Bounded(ticks) : ticks_.ToNs(ticks));
  }
  int64_t FromActivity(uint64_t ns) const {
    return Clamped(activity_identity_ ? Bounded(ns) : activity_.ToNs(ns));
  }
  // Makes all times `by` later.
  void Shift(int64_t by) { shift_ns_ += by; }

  // False: FromActivity only guesses.
  bool knows_activity() const {
    return activity_identity_ || activity_.known();
  }
  int64_t ResidualNs() const;
  HostClock host_clock() const { return host_clock_; }

 private:
  // Hostile times stay so far from the ends of int64_t that differences fit.
  // Real time, which the activity clock follows, is 2^61 in 2043, 2^62 in 2116.
  static int64_t Bounded(uint64_t ns) {
    return static_cast<int64_t>(std::min(ns, (uint64_t{1} << 62) - 1));
  }
  // The offset of a virtual clock.
  int64_t VirtualOffset(std::vector<RealtimeOffsets::Virtual>& known) const;
  int64_t Clamped(int64_t ns) const {
    return std::clamp(ns + offset_ns_, -(int64_t{1} << 61),
                      (int64_t{1} << 62) - 1) +
           shift_ns_;
  }

  ClockMap ticks_;
  ClockMap activity_;
  bool identity_ = false;  // ticks are ns of the trace clock
  HostClock host_clock_ = HostClock::kMeasured;
  bool activity_identity_ = false;  // so is activity time: a simulated clock
  trace::AnchorRecord first_ = {};
  uint64_t last_realtime_ns_ = 0;
  int64_t offset_ns_ = 0;
  int64_t shift_ns_ = 0;
  int64_t error_ns_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TIMELINE_H_
