// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/queue_depth.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "analyzer/model/near_search.h"
#include "analyzer/model/nearly_sorted.h"

namespace dltap::analyzer {
namespace {

// An activity and the call that submitted it.
struct Submitted {
  int64_t at_ns;  // the call began
  size_t call;
  Interval span;

  auto operator<=>(const Submitted&) const = default;
};

// In the order of the host; those of one call together, in time.
std::vector<Submitted> SubmissionsOf(const Process& process,
                                     const ProcessAttribution& attribution,
                                     DeviceId device) {
  std::vector<Submitted> out;
  out.reserve(process.activities.size());
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const CallId call = attribution.activities[i].submitted_by;
    if (activity.device != device || !call.known()) continue;
    out.push_back({process.calls[call.value()].begin_ns,
                   call.value(),
                   {activity.begin_ns, activity.end_ns}});
  }
  SortNearlySorted(out, std::less<>());
  return out;
}

bool IsInside(const std::vector<StepWindow>& windows, int64_t at_ns,
              size_t& near) {
  near = FirstFrom(windows.size(), near,
                   [&](size_t i) { return windows[i].span.end_ns <= at_ns; });
  return near < windows.size() && windows[near].span.begin_ns <= at_ns;
}

// Times that are still to come. Each mostly lies after those before it.
class Pending {
 public:
  void Add(int64_t at_ns) {
    const auto at = times_.empty() || times_.back() <= at_ns
                        ? times_.end()
                        : std::upper_bound(begin(), times_.end(), at_ns);
    times_.insert(at, at_ns);
  }

  // Takes out what had happened by then.
  void PassTo(int64_t at_ns) {
    while (passed_ < times_.size() && times_[passed_] <= at_ns) ++passed_;
    if (2 * passed_ < times_.size()) return;
    times_.erase(times_.begin(), begin());
    passed_ = 0;
  }

  size_t size() const { return times_.size() - passed_; }

 private:
  std::vector<int64_t>::iterator begin() {
    return times_.begin() + static_cast<ptrdiff_t>(passed_);
  }

  std::vector<int64_t> times_;  // sorted
  size_t passed_ = 0;           // of them, in front
};

}  // namespace

void QueueDepth::Add(const QueueDepth& other) {
  submissions += other.submissions;
  unfinished += other.unfinished;
  waiting += other.waiting;
  empty += other.empty;
}

QueueDepth QueueDepthOf(const Process& process,
                        const ProcessAttribution& attribution, DeviceId device,
                        const std::vector<StepWindow>& windows) {
  QueueDepth out;
  Pending begins;
  Pending ends;
  size_t window = 0;
  const std::vector<Submitted> submitted =
      SubmissionsOf(process, attribution, device);
  for (size_t i = 0; i < submitted.size(); ++i) {
    const Submitted& work = submitted[i];
    if (i > 0 && submitted[i - 1].call == work.call) {
      begins.Add(work.span.begin_ns);
      ends.Add(work.span.end_ns);
      continue;
    }
    begins.PassTo(work.at_ns);
    ends.PassTo(work.at_ns);
    if (IsInside(windows, work.span.begin_ns, window)) {
      ++out.submissions;
      out.unfinished += ends.size();
      out.waiting += begins.size();
      out.empty += ends.size() == 0 ? 1 : 0;
    }
    begins.Add(work.span.begin_ns);
    ends.Add(work.span.end_ns);
  }
  return out;
}

}  // namespace dltap::analyzer
