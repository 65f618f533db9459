// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/gaps.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "analyzer/metrics/idle/all_gaps.h"
#include "analyzer/metrics/idle/gap_explainer.h"
#include "analyzer/metrics/windows/device_timeline.h"
#include "analyzer/model/near_search.h"
#include "analyzer/model/nearly_sorted.h"

namespace dltap::analyzer {
namespace {

// A fill, cast or copy that may prepare a step before its first work.
bool MayPrepare(const Attributed& attributed) {
  return attributed.glue != Glue::kNone ||
         (IsCopyOrMemset(attributed.layer_class) &&
          attributed.layer_class != LayerClass::kCopyD2h);
}

// When the host made the first submission of each step that has one, in time.
// Fills and copies right before it, such as clearing the gradients, belong to
// the step.
std::vector<int64_t> FirstSubmissions(const Process& process,
                                      const ProcessAttribution& attribution,
                                      const Steps& steps, DeviceId device) {
  std::vector<std::pair<int64_t, bool>> submissions;  // begin, may prepare
  submissions.reserve(process.activities.size());
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Attributed& attributed = attribution.activities[i];
    if (process.activities[i].device != device) continue;
    if (!attributed.submitted_by.known()) continue;
    submissions.emplace_back(
        process.calls[attributed.submitted_by.value()].begin_ns,
        MayPrepare(attributed));
  }
  SortNearlySorted(submissions, std::less<>());
  std::vector<int64_t> first;
  size_t at = 0;
  for (const Step& step : steps.steps) {
    const size_t previous = at;
    while (at < submissions.size() && submissions[at].first < step.begin_ns) {
      ++at;
    }
    if (at == submissions.size()) break;
    if (submissions[at].first >= step.end_ns) continue;
    size_t begin = at;
    while (begin > previous && submissions[begin - 1].second) --begin;
    first.push_back(submissions[begin].first);
  }
  return first;
}

// The device's activities by begin, to find which one ends a gap.
std::vector<size_t> OfDevice(const Process& process, DeviceId device) {
  std::vector<size_t> indices;
  indices.reserve(process.activities.size());
  for (size_t i = 0; i < process.activities.size(); ++i) {
    if (process.activities[i].device == device) indices.push_back(i);
  }
  return indices;
}

// Calls `visit` for each idle span, in time, as a gap without causes.
template <typename Visit>
void VisitIdleSpans(const Process& process, DeviceId device,
                    const std::vector<size_t>& activities,
                    const std::vector<StepWindow>& windows, Visit visit) {
  const auto begin_of = [&](size_t next) {
    return process.activities[activities[next]].begin_ns;
  };
  size_t next = 0;
  VisitIdle(process, device, windows, [&](Interval span, size_t window) {
    while (next < activities.size() && begin_of(next) < span.end_ns) ++next;
    // At the end of a window the next step's first activity ends the gap.
    const bool ends = next < activities.size() && begin_of(next) == span.end_ns;
    Gap gap;
    gap.span = span;
    gap.ended_by = ends ? activities[next] : kNoActivity;
    gap.window = window;
    visit(gap);
  });
}

// Marks the gaps in which a step's first submission lies, and those before its
// last result is read: a loss that goes to the host after all work of the step
// is no delay of a layer.
class StepBounds {
 public:
  StepBounds(const Process& process, const ProcessAttribution& attribution,
             const std::vector<size_t>& activities,
             std::vector<int64_t> first_submissions)
      : process_(process),
        attribution_(attribution),
        firsts_(std::move(first_submissions)) {
    // The last activity of each step that is no copy or fill.
    for (const size_t i : activities) {
      if (IsCopyOrMemset(attribution.activities[i].layer_class)) continue;
      const auto step = StepOf(i);
      if (!step) continue;
      if (last_work_.size() <= *step) last_work_.resize(*step + 1);
      last_work_[*step] =
          std::max(last_work_[*step], process.activities[i].begin_ns);
    }
  }

  // Gaps come in time.
  bool LiesBetween(const Gap& gap) {
    while (next_ < firsts_.size() && firsts_[next_] < gap.span.begin_ns) {
      ++next_;
    }
    if (next_ < firsts_.size() && firsts_[next_] < gap.span.end_ns) return true;
    if (gap.ended_by == kNoActivity) return false;
    if (attribution_.activities[gap.ended_by].layer_class !=
        LayerClass::kCopyD2h) {
      return false;
    }
    const auto step = StepOf(gap.ended_by);
    return step && *step < last_work_.size() &&
           last_work_[*step] < gap.span.end_ns;
  }

 private:
  std::optional<size_t> StepOf(size_t activity) {
    const CallId call = attribution_.activities[activity].submitted_by;
    if (!call.known()) return std::nullopt;
    const int64_t at_ns = process_.calls[call.value()].begin_ns;
    near_ = FirstFrom(firsts_.size(), near_,
                      [&](size_t i) { return firsts_[i] <= at_ns; });
    if (near_ == 0) return std::nullopt;
    return near_ - 1;
  }

  const Process& process_;
  const ProcessAttribution& attribution_;
  const std::vector<int64_t> firsts_;
  std::vector<int64_t> last_work_;
  size_t next_ = 0;
  size_t near_ = 0;  // in firsts_, of the last question
};

}  // namespace

FeedersWork FindGaps(const Process& process,
                     const ProcessAttribution& attribution, const Steps& steps,
                     const HostView& host, DeviceId device,
                     const std::vector<StepWindow>& windows,
                     const std::function<void(const Gap&)>& visit,
                     const std::vector<StepWindow>& earlier,
                     const std::function<void(const Gap&)>& visit_earlier) {
  const std::vector<size_t> activities = OfDevice(process, device);
  std::vector<StepWindow> looked_at = earlier;
  looked_at.insert(looked_at.end(), windows.begin(), windows.end());
  StepBounds bounds(process, attribution, activities,
                    FirstSubmissions(process, attribution, steps, device));
  GapExplainer explainer(process, attribution, host, device);
  // What drained the queue may do so from one gap to the next.
  VisitIdleSpans(process, device, activities, looked_at, [&](Gap& gap) {
    gap.between_steps = bounds.LiesBetween(gap);
    explainer.Explain(gap);
    if (gap.window < earlier.size()) {
      visit_earlier(gap);
      return;
    }
    gap.window -= earlier.size();
    visit(gap);
  });
  return explainer.HostWork(windows);
}

void FindAllGaps(const Process& process, const ProcessAttribution& attribution,
                 const Steps& steps, const HostView& host, DeviceId device,
                 const std::vector<StepWindow>& windows,
                 const std::function<bool(const StepWindow&)>& is_judged,
                 const std::function<void(const Gap&)>& visit) {
  const std::vector<size_t> activities = OfDevice(process, device);
  StepBounds bounds(process, attribution, activities,
                    FirstSubmissions(process, attribution, steps, device));
  GapExplainer explainer(process, attribution, host, device);
  VisitIdleSpans(process, device, activities, windows, [&](Gap& gap) {
    gap.between_steps = bounds.LiesBetween(gap);
    if (is_judged(windows[gap.window])) {
      explainer.Explain(gap);
    } else {
      explainer.ExplainCauses(gap);
    }
    visit(gap);
  });
}

}  // namespace dltap::analyzer
