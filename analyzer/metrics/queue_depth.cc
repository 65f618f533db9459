// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/queue_depth.h"

#include <algorithm>
#include <functional>
#include <queue>

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

bool IsInside(const std::vector<StepWindow>& windows, int64_t at_ns) {
  const auto it = std::upper_bound(
      windows.begin(), windows.end(), at_ns,
      [](int64_t at, const StepWindow& w) { return at < w.span.end_ns; });
  return it != windows.end() && it->span.begin_ns <= at_ns;
}

using EarliestFirst =
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>>;

// Takes out what had happened by then.
void PassTo(int64_t at_ns, EarliestFirst& times) {
  while (!times.empty() && times.top() <= at_ns) times.pop();
}

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
  EarliestFirst begins;
  EarliestFirst ends;
  const std::vector<Submitted> submitted =
      SubmissionsOf(process, attribution, device);
  for (size_t i = 0; i < submitted.size(); ++i) {
    const Submitted& work = submitted[i];
    if (i > 0 && submitted[i - 1].call == work.call) {
      begins.push(work.span.begin_ns);
      ends.push(work.span.end_ns);
      continue;
    }
    PassTo(work.at_ns, begins);
    PassTo(work.at_ns, ends);
    if (IsInside(windows, work.span.begin_ns)) {
      ++out.submissions;
      out.unfinished += ends.size();
      out.waiting += begins.size();
      out.empty += ends.empty() ? 1 : 0;
    }
    begins.push(work.span.begin_ns);
    ends.push(work.span.end_ns);
  }
  return out;
}

}  // namespace dltap::analyzer
