// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/efficiency.h"
#include "analyzer/metrics/phases.h"
#include "analyzer/metrics/tallies.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

template <typename Array>
void AddTo(Array& into, const Array& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] += from[i];
}

// One device of one process.
class DeviceSummariser {
 public:
  DeviceSummariser(const TraceModel& model, const Process& process,
                   const ProcessAttribution& attribution, const Steps& steps,
                   DeviceId device)
      : model_(model),
        process_(process),
        attribution_(attribution),
        steps_(steps),
        device_(device),
        windows_(StepWindows(process, attribution, steps, device)),
        gpu_(opmodel::FindGpuByProduct(process.devices[device.value()].name)) {}

  const std::vector<StepWindow>& windows() const { return windows_; }

  DeviceSummary Run(Tallies& tallies, PhaseTimes& phases) {
    out_.device = device_;
    AddSegments();
    AddActivities(tallies);
    const std::vector<Gap> gaps =
        FindGaps(model_, process_, attribution_, steps_, device_, windows_);
    AddGaps(gaps);
    AddPhases(process_, attribution_, device_, windows_, gaps, phases);
    return out_;
  }

 private:
  ClassSummary& Of(LayerClass layer_class) {
    return out_.classes[static_cast<size_t>(layer_class)];
  }

  void AddSegments() {
    VisitSegments(process_, attribution_, device_, windows_,
                  [this](const Segment& segment) { AddSegment(segment); });
  }

  void AddSegment(const Segment& segment) {
    const int64_t ns = segment.span.length_ns();
    out_.wall_ns += ns;
    out_.state_ns[static_cast<size_t>(segment.state)] += ns;
    if (segment.leading == kNoActivity) return;
    size_t n_classes = 0;
    size_t only = 0;
    for (size_t i = 0; i < kClassCount; ++i) {
      if ((*segment.running)[i] == 0) continue;
      out_.classes[i].busy_ns += ns;
      only = i;
      ++n_classes;
    }
    if (n_classes == 1) out_.classes[only].exclusive_ns += ns;
  }

  // The part of an activity that lies inside the windows.
  int64_t InsideWindows(const Activity& activity) const {
    auto it = std::upper_bound(
        windows_.begin(), windows_.end(), activity.begin_ns,
        [](int64_t at, const StepWindow& w) { return at < w.span.end_ns; });
    int64_t ns = 0;
    for (; it != windows_.end() && it->span.begin_ns < activity.end_ns; ++it) {
      ns += std::min(activity.end_ns, it->span.end_ns) -
            std::max(activity.begin_ns, it->span.begin_ns);
    }
    return ns;
  }

  void AddActivities(Tallies& tallies) {
    absl::flat_hash_set<size_t> works;
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Activity& activity = process_.activities[i];
      if (activity.device != device_) continue;
      const int64_t ns = InsideWindows(activity);
      if (ns <= 0) continue;
      const Attributed& attributed = attribution_.activities[i];
      ClassSummary& of_class = Of(attributed.layer_class);
      const bool new_work = attributed.work.known() &&
                            works.insert(attributed.work.value()).second;
      of_class.gpu_ns += ns;
      of_class.calls += new_work;
      ++of_class.kernels;
      of_class.direction_ns[static_cast<size_t>(attributed.direction)] += ns;
      of_class.joined_by_ns[static_cast<size_t>(attributed.joined_by)] += ns;
      of_class.class_from_ns[static_cast<size_t>(attributed.class_from)] += ns;
      const Efficiency efficiency =
          EfficiencyOf(attribution_, attributed, ns, gpu_);
      of_class.efficiency.Add(efficiency);
      tallies.Add(i, ns, efficiency, new_work);
    }
  }

  void AddGaps(const std::vector<Gap>& gaps) {
    for (const Gap& gap : gaps) {
      if (gap.between_steps || gap.ended_by == kNoActivity) {
        AddTo(out_.between_steps_ns, gap.ns);
      } else {
        const LayerClass layer_class =
            attribution_.activities[gap.ended_by].layer_class;
        AddTo(Of(layer_class).idle_ns, gap.ns);
      }
    }
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const Steps& steps_;
  const DeviceId device_;
  const std::vector<StepWindow> windows_;
  const opmodel::GpuSpec* const gpu_;
  DeviceSummary out_{};
};

StepSummary SummariseSteps(const Steps& steps) {
  StepSummary out;
  out.found_by = steps.found_by;
  out.found = steps.steps.size();
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    ++out.left_out[static_cast<size_t>(step.use)];
    if (step.use != StepUse::kUsed) continue;
    out.used.push_back(i);
  }
  out.left_out[static_cast<size_t>(StepUse::kUsed)] = 0;
  return out;
}

void AddStepTimes(StepSummary& out, const std::vector<StepWindow>& windows) {
  for (const StepWindow& window : windows) {
    out.ns.push_back(window.span.length_ns());
  }
  if (out.ns.empty()) return;
  const auto n = static_cast<double>(out.ns.size());
  const double sum = std::accumulate(out.ns.begin(), out.ns.end(), 0.0);
  out.mean_ns = sum / n;
  double squares = 0;
  for (const int64_t ns : out.ns) {
    squares += (static_cast<double>(ns) - out.mean_ns) *
               (static_cast<double>(ns) - out.mean_ns);
  }
  out.stddev_ns = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
}

void SummariseTrust(const TraceModel& model, const Attribution& attribution,
                    Summary& out) {
  TrustSummary& trust = out.trust;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    const Process& process = model.processes[p];
    const ProcessAttribution& attributed = attribution.processes[p];
    for (const Loss& loss : process.losses) {
      trust.lost[loss.cause] += loss.count;
    }
    trust.launches_without_kernel += attributed.launches_without_kernel;
    trust.kernels_without_launch += attributed.kernels_without_launch;
    trust.composite_ns += attributed.composite_ns;
    trust.clock_residual_ns =
        std::max(trust.clock_residual_ns, process.clock_residual_ns);
    if (trust.level.empty() || !process.level_reason.empty()) {
      trust.level = process.level;
      trust.level_reason = process.level_reason;
    }
    if (process.per_call_overhead_ns >= 0) {
      trust.overhead_ns = trust.overhead_ns.value_or(0) +
                          process.per_call_overhead_ns *
                              static_cast<int64_t>(process.calls.size());
    }
  }
  for (const DeviceSummary& device : out.devices) {
    trust.not_observed_ns +=
        device.state_ns[static_cast<size_t>(DeviceState::kNotObserved)];
  }
  const auto of_none = static_cast<size_t>(ClassFrom::kNone);
  const auto total = static_cast<double>(out.total.gpu_ns);
  if (total <= 0) return;
  trust.classified_share =
      1 - static_cast<double>(out.total.class_from_ns[of_none]) / total;
  trust.flops_known_share = out.total.efficiency.known_ns / total;
}

}  // namespace

void Efficiency::Add(const Efficiency& other) {
  flops += other.flops;
  bytes += other.bytes;
  known_ns += other.known_ns;
  peak_flops += other.peak_flops;
  peak_bytes += other.peak_bytes;
}

int64_t ClassSummary::host_ns() const {
  return std::accumulate(
      idle_ns.begin(),
      idle_ns.begin() + static_cast<size_t>(IdleCause::kProfiler), int64_t{0});
}

std::optional<double> ClassSummary::cpu_dependency() const {
  const int64_t host = host_ns();
  if (busy_ns + host == 0) return std::nullopt;
  return static_cast<double>(host) / static_cast<double>(busy_ns + host);
}

void ClassSummary::Add(const ClassSummary& other) {
  gpu_ns += other.gpu_ns;
  busy_ns += other.busy_ns;
  exclusive_ns += other.exclusive_ns;
  calls += other.calls;
  kernels += other.kernels;
  AddTo(idle_ns, other.idle_ns);
  AddTo(direction_ns, other.direction_ns);
  AddTo(joined_by_ns, other.joined_by_ns);
  AddTo(class_from_ns, other.class_from_ns);
  efficiency.Add(other.efficiency);
}

std::optional<double> DeviceSummary::utilization() const {
  int64_t profiler =
      between_steps_ns[static_cast<size_t>(IdleCause::kProfiler)];
  for (const ClassSummary& of_class : classes) {
    profiler += of_class.idle_ns[static_cast<size_t>(IdleCause::kProfiler)];
  }
  const int64_t observed =
      wall_ns - profiler -
      state_ns[static_cast<size_t>(DeviceState::kNotObserved)];
  if (observed <= 0) return std::nullopt;
  return static_cast<double>(
             state_ns[static_cast<size_t>(DeviceState::kCompute)]) /
         static_cast<double>(observed);
}

Summary Summarise(const TraceModel& model, const Attribution& attribution) {
  Summary out;
  Tallies::Totals totals;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    const Process& process = model.processes[p];
    const ProcessAttribution& attributed = attribution.processes[p];
    const Steps steps = FindSteps(model, process, attributed);
    Tallies tallies(model, process, attributed, totals);
    for (size_t d = 0; d < process.devices.size(); ++d) {
      DeviceSummariser summariser(model, process, attributed, steps,
                                  DeviceId(d));
      if (summariser.windows().empty()) continue;
      if (out.devices.empty()) {
        out.steps = SummariseSteps(steps);
        AddStepTimes(out.steps, summariser.windows());
      }
      out.windows += summariser.windows().size();
      PhaseTimes phases{};
      DeviceSummary device = summariser.Run(tallies, phases);
      device.process = p;
      AddTo(out.phases_ns, phases);
      AddTo(out.between_steps_ns, device.between_steps_ns);
      for (size_t c = 0; c < kClassCount; ++c) {
        out.classes[c].Add(device.classes[c]);
        out.total.Add(device.classes[c]);
      }
      out.devices.push_back(std::move(device));
    }
    tallies.AddCalls(steps);
  }
  Tallies::Finish(std::move(totals), out);
  SummariseTrust(model, attribution, out);
  return out;
}

}  // namespace dltap::analyzer
