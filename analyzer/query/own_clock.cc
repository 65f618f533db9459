// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/own_clock.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace dltap::analyzer {
namespace {

// Between activities of one stream that follow each other at once.
constexpr int64_t kBackToBackNs = 10'000;

// The latest end of what is no communication, by when it was asked for.
class WorkBefore {
 public:
  explicit WorkBefore(const std::vector<DeviceActivity>& activities) {
    for (const DeviceActivity& activity : activities) {
      if (activity.is_communication || !activity.asked_ns) continue;
      ends_.push_back({*activity.asked_ns, activity.end_ns});
    }
    std::stable_sort(
        ends_.begin(), ends_.end(),
        [](const End& a, const End& b) { return a.asked_ns < b.asked_ns; });
    for (size_t i = 1; i < ends_.size(); ++i) {
      ends_[i].latest_ns = std::max(ends_[i].latest_ns, ends_[i - 1].latest_ns);
    }
  }

  // 0: nothing was asked for before.
  int64_t EndBefore(int64_t time_ns) const {
    const auto found = std::lower_bound(
        ends_.begin(), ends_.end(), time_ns,
        [](const End& end, int64_t value) { return end.asked_ns < value; });
    return found == ends_.begin() ? 0 : std::prev(found)->latest_ns;
  }

 private:
  struct End {
    int64_t asked_ns;
    int64_t latest_ns;
  };
  std::vector<End> ends_;
};

}  // namespace

OwnClock::OwnClock(const std::vector<DeviceActivity>& activities) {
  int64_t worked_until = INT64_MIN;
  int64_t stood_ns = 0;
  int64_t communicated_until = INT64_MIN;
  // What communication covers from `from` on, as far as nothing else does.
  const auto stand = [&](int64_t from, int64_t to) {
    from = std::max(from, worked_until);
    if (!stands_.empty()) from = std::max(from, stands_.back().end_ns);
    if (to <= from) return;
    stands_.push_back({from, to, stood_ns});
    stood_ns += to - from;
  };
  int64_t begin_ns = 0;  // of the communication that goes on
  for (const DeviceActivity& activity : activities) {
    stand(begin_ns, std::min(communicated_until, activity.begin_ns));
    if (!activity.is_communication) {
      worked_until = std::max(worked_until, activity.end_ns);
      continue;
    }
    if (activity.begin_ns > communicated_until) begin_ns = activity.begin_ns;
    communicated_until = std::max(communicated_until, activity.end_ns);
  }
  stand(begin_ns, communicated_until);
}

double OwnClock::At(int64_t time_ns) const {
  const auto after = std::upper_bound(
      stands_.begin(), stands_.end(), time_ns,
      [](int64_t value, const Stand& stand) { return value < stand.begin_ns; });
  if (after == stands_.begin()) return static_cast<double>(time_ns);
  const Stand& stand = *std::prev(after);
  const int64_t stood_ns =
      stand.stood_ns + std::min(time_ns, stand.end_ns) - stand.begin_ns;
  return static_cast<double>(time_ns - stood_ns);
}

bool OwnClock::GoesOnAt(int64_t time_ns) const {
  const auto found = std::lower_bound(
      stands_.begin(), stands_.end(), time_ns,
      [](const Stand& stand, int64_t value) { return stand.end_ns < value; });
  return found != stands_.end() && found->begin_ns < time_ns;
}

std::vector<int64_t> ReadyTimes(const std::vector<DeviceActivity>& activities) {
  const WorkBefore work(activities);
  struct Stream {
    int64_t free_at = INT64_MIN;
    int64_t ready = INT64_MIN;  // of the one before
  };
  std::map<int64_t, Stream> streams;  // that communicate
  std::vector<int64_t> ready(activities.size(), -1);
  for (size_t i = 0; i < activities.size(); ++i) {
    const DeviceActivity& activity = activities[i];
    if (!activity.is_communication) continue;
    Stream& stream = streams[activity.stream];
    ready[i] = activity.begin_ns;
    const bool is_queued = stream.free_at >= activity.begin_ns - kBackToBackNs;
    if (is_queued && activity.asked_ns) {
      const int64_t could =
          std::max(work.EndBefore(*activity.asked_ns), *activity.asked_ns);
      // Those of a stream stay in their order: else ranks wait for each other.
      ready[i] = std::min(std::max(could, stream.ready), activity.begin_ns);
    }
    stream.ready = ready[i];
    stream.free_at = std::max(stream.free_at, activity.end_ns);
  }
  return ready;
}

}  // namespace dltap::analyzer
