// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/gaps.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analyzer/metrics/device_timeline.h"
#include "analyzer/metrics/host_activity.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kShortGapNs = 2'000;
// What lies beyond this after the submitting call returned is no launch
// latency any more: the activity waited for something.
constexpr int64_t kMaxLatencyNs = 20'000;

constexpr std::string_view kNames[kIdleCauses] = {
    "sync",    "input",   "library",  "launch",     "framework",
    "blocked", "unknown", "profiler", "dependency", "latency"};

int64_t& At(Gap& gap, IdleCause cause) {
  return gap.ns[static_cast<size_t>(cause)];
}

int64_t Overlap(Interval a, Interval b) {
  return std::max<int64_t>(
      0, std::min(a.end_ns, b.end_ns) - std::max(a.begin_ns, b.begin_ns));
}

// Finds the cause of one gap after another.
class GapExplainer {
 public:
  GapExplainer(const TraceModel& model, const Process& process,
               const ProcessAttribution& attribution)
      : process_(process),
        attribution_(attribution),
        host_(model, process, attribution),
        short_gap_ns_(std::max(kShortGapNs, 2 * process.clock_residual_ns)) {}

  void Explain(Gap& gap) const {
    if (gap.span.length_ns() < short_gap_ns_) {
      At(gap, IdleCause::kLatency) = gap.span.length_ns();
      return;
    }
    const Call* call = SubmittingCall(gap);
    if (call == nullptr) {
      At(gap, IdleCause::kUnknown) = gap.span.length_ns();
      return;
    }
    const int64_t submitted =
        std::clamp(call->end_ns, gap.span.begin_ns, gap.span.end_ns);
    ExplainHost(gap, *call, {gap.span.begin_ns, submitted});
    ExplainDevice(gap, {submitted, gap.span.end_ns});
  }

 private:
  const Call* SubmittingCall(const Gap& gap) const {
    if (gap.ended_by == kNoActivity) return nullptr;
    const CallId id = attribution_.activities[gap.ended_by].submitted_by;
    return id.known() ? &process_.calls[id.value()] : nullptr;
  }

  void ExplainHost(Gap& gap, const Call& call, Interval host) const {
    if (host.length_ns() <= 0) return;
    const bool waited = host_.WaitedIn(call.thread, gap.span, call.begin_ns) ||
                        host_.WaitedIn(host_.LastCallerBefore(call.begin_ns),
                                       gap.span, call.begin_ns);
    if (waited) {
      At(gap, IdleCause::kSync) = host.length_ns();
    } else {
      const Interval inside{call.begin_ns, call.end_ns};
      const int64_t in_call = Overlap(host, inside);
      At(gap, host_.IsLibraryCall(call) ? IdleCause::kLibrary
                                        : IdleCause::kLaunch) = in_call;
      ExplainBeforeCall(gap, {host.begin_ns, host.end_ns - in_call});
    }
    SubtractProfiler(gap, call.thread, host);
  }

  void ExplainBeforeCall(Gap& gap, Interval before) const {
    if (before.length_ns() <= 0) return;
    if (IsInput(gap.ended_by)) {
      At(gap, IdleCause::kInput) = before.length_ns();
      return;
    }
    const auto on_cpu = host_.OnCpuShare(before);
    if (!on_cpu) {
      At(gap, IdleCause::kUnknown) = before.length_ns();
      return;
    }
    const auto computing =
        static_cast<int64_t>(*on_cpu * static_cast<double>(before.length_ns()));
    At(gap, IdleCause::kFramework) = computing;
    At(gap, IdleCause::kBlocked) = before.length_ns() - computing;
  }

  bool IsInput(size_t activity) const {
    return process_.activities[activity].copy == CopyKind::kHostToDevice;
  }

  // Our own cost is taken out of the largest host causes.
  void SubtractProfiler(Gap& gap, ThreadId thread, Interval host) const {
    if (process_.per_call_overhead_ns <= 0) return;
    int64_t left =
        std::min(host.length_ns(),
                 host_.CallsIn(thread, host) * process_.per_call_overhead_ns);
    At(gap, IdleCause::kProfiler) = left;
    while (left > 0) {
      const auto largest = std::max_element(
          gap.ns.begin(),
          gap.ns.begin() + static_cast<size_t>(IdleCause::kProfiler));
      const int64_t taken = std::min(left, *largest);
      if (taken <= 0) break;
      *largest -= taken;
      left -= taken;
    }
  }

  void ExplainDevice(Gap& gap, Interval device) const {
    if (device.length_ns() <= 0) return;
    const bool waited = device.length_ns() > kMaxLatencyNs;
    At(gap, waited ? IdleCause::kDependency : IdleCause::kLatency) =
        device.length_ns();
  }

  const Process& process_;
  const ProcessAttribution& attribution_;
  const HostActivity host_;
  const int64_t short_gap_ns_;
};

// Whether a step's first submission falls into the gap.
bool HoldsStepStart(const Gap& gap, const Steps& steps) {
  return std::any_of(steps.steps.begin(), steps.steps.end(),
                     [&gap](const Step& step) {
                       return step.begin_ns >= gap.span.begin_ns &&
                              step.begin_ns < gap.span.end_ns;
                     });
}

// The device's activities by begin, to find which one ends a gap.
std::vector<size_t> OfDevice(const Process& process, DeviceId device) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    if (process.activities[i].device == device) indices.push_back(i);
  }
  return indices;
}

}  // namespace

std::string_view Name(IdleCause cause) {
  return kNames[static_cast<size_t>(cause)];
}

int64_t HostNs(const IdleTimes& idle_ns) {
  return std::accumulate(
      idle_ns.begin(),
      idle_ns.begin() + static_cast<size_t>(IdleCause::kProfiler), int64_t{0});
}

int64_t SumOf(const IdleTimes& idle_ns) {
  return std::accumulate(idle_ns.begin(), idle_ns.end(), int64_t{0});
}

std::vector<Gap> FindGaps(const TraceModel& model, const Process& process,
                          const ProcessAttribution& attribution,
                          const Steps& steps, DeviceId device,
                          const std::vector<StepWindow>& windows) {
  const std::vector<size_t> activities = OfDevice(process, device);
  std::vector<Gap> gaps;
  size_t next = 0;
  size_t window = 0;
  VisitSegments(process, attribution, device, windows,
                [&](const Segment& segment) {
                  while (segment.span.begin_ns >= windows[window].span.end_ns)
                    ++window;
                  if (segment.state != DeviceState::kIdle) return;
                  while (next < activities.size() &&
                         process.activities[activities[next]].begin_ns <
                             segment.span.end_ns) {
                    ++next;
                  }
                  // At the end of a window the next step's first activity ends
                  // the gap.
                  const size_t ended_by =
                      next < activities.size() &&
                              process.activities[activities[next]].begin_ns ==
                                  segment.span.end_ns
                          ? activities[next]
                          : kNoActivity;
                  gaps.push_back({segment.span, ended_by, window, false, {}});
                });
  const GapExplainer explainer(model, process, attribution);
  for (Gap& gap : gaps) {
    gap.between_steps = HoldsStepStart(gap, steps);
    explainer.Explain(gap);
  }
  return gaps;
}

}  // namespace dltap::analyzer
