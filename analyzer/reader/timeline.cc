// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/timeline.h"

namespace dltap::analyzer {
namespace {

// Virtual time of a simulation begins at the start of 2024, whenever it runs
// (simgpu/base/clock.cc); its other clocks follow real time.
constexpr int64_t kLongAgoNs = int64_t{24} * 3600 * 1'000'000'000;

}  // namespace

void Timeline::AddAnchor(const trace::AnchorRecord& anchor) {
  if (anchor.monotonic_ns == 0) return;
  const int64_t monotonic_ns = Bounded(anchor.monotonic_ns);
  if (first_.monotonic_ns == 0 || anchor.ticks < first_.ticks) first_ = anchor;
  last_realtime_ns_ = std::max(last_realtime_ns_, anchor.realtime_ns);
  ticks_.Add(anchor.ticks, monotonic_ns);
  if (anchor.activity_ns != 0) activity_.Add(anchor.activity_ns, monotonic_ns);
  error_ns_ = std::max(error_ns_, Bounded(anchor.error_ns));
}

void Timeline::Finish(trace::ClockKind kind, uint64_t ticks_per_second,
                      const std::string& boot_id, RealtimeOffsets& offsets) {
  if (ticks_per_second != 0) {
    ticks_.SetNsPerUnit(1e9 / static_cast<double>(ticks_per_second));
  }
  ticks_.Finish();
  activity_.Finish();
  const int64_t realtime_ns = Bounded(first_.realtime_ns);
  if (kind == trace::ClockKind::kActivity) {
    identity_ = activity_identity_ = true;
    offset_ns_ = realtime_ns - Bounded(first_.ticks);
    if (offset_ns_ <= kLongAgoNs) return;
    host_clock_ = HostClock::kFixedCosts;
    offset_ns_ = VirtualOffset(offsets.of_virtual[boot_id]);
    return;
  }
  identity_ = kind == trace::ClockKind::kMonotonic;
  offset_ns_ =
      offsets.by_boot
          .try_emplace(boot_id, realtime_ns - Bounded(first_.monotonic_ns))
          .first->second;
}

int64_t Timeline::VirtualOffset(
    std::vector<RealtimeOffsets::Virtual>& known) const {
  const int64_t begin_ns = Bounded(first_.realtime_ns);
  const int64_t end_ns = std::max(begin_ns, Bounded(last_realtime_ns_));
  for (RealtimeOffsets::Virtual& group : known) {
    if (begin_ns > group.end_ns || end_ns < group.begin_ns) continue;
    group.begin_ns = std::min(group.begin_ns, begin_ns);
    group.end_ns = std::max(group.end_ns, end_ns);
    return group.offset_ns;
  }
  known.push_back({begin_ns, end_ns, offset_ns_});
  return offset_ns_;
}

int64_t Timeline::ResidualNs() const {
  if (activity_identity_) return 0;
  return std::max({error_ns_, ticks_.ResidualNs(), activity_.ResidualNs()});
}

}  // namespace dltap::analyzer
