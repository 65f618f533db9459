// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/queue_depth.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace dltap::analyzer {
namespace {

// All that one call submitted to the device.
struct Submission {
  int64_t at_ns = 0;
  int64_t first_ns = 0;  // its first activity begins
  std::vector<Interval> activities;
};

std::vector<Submission> SubmissionsOf(const Process& process,
                                      const ProcessAttribution& attribution,
                                      DeviceId device) {
  std::map<size_t, Submission> by_call;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const CallId call = attribution.activities[i].submitted_by;
    if (activity.device != device || !call.known()) continue;
    Submission& submission = by_call[call.value()];
    if (submission.activities.empty()) {
      submission.at_ns = process.calls[call.value()].begin_ns;
      submission.first_ns = activity.begin_ns;  // activities are in time
    }
    submission.activities.push_back({activity.begin_ns, activity.end_ns});
  }
  std::vector<Submission> out;
  for (auto& [call, submission] : by_call) {
    out.push_back(std::move(submission));
  }
  std::ranges::stable_sort(out, {}, &Submission::at_ns);
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
  for (const Submission& submission :
       SubmissionsOf(process, attribution, device)) {
    PassTo(submission.at_ns, begins);
    PassTo(submission.at_ns, ends);
    if (IsInside(windows, submission.first_ns)) {
      ++out.submissions;
      out.unfinished += ends.size();
      out.waiting += begins.size();
      out.empty += ends.empty() ? 1 : 0;
    }
    for (const Interval& activity : submission.activities) {
      begins.push(activity.begin_ns);
      ends.push(activity.end_ns);
    }
  }
  return out;
}

}  // namespace dltap::analyzer
