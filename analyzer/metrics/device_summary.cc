// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/device_summary.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/add_arrays.h"
#include "analyzer/metrics/ratio.h"
#include "analyzer/metrics/window.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

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

  DeviceSummary Run(TallyKeeper& tallies) {
    const Device& device = process_.devices[device_.value()];
    out_.ordinal = device.ordinal;
    out_.name = device.name;
    if (steps_.found_by != StepsFoundBy::kNone) AddSteps();
    AddSegments();
    AddActivities(tallies);
    const std::vector<Gap> gaps =
        FindGaps(model_, process_, attribution_, steps_, device_, windows_);
    AddGaps(gaps);
    AddPhases(process_, attribution_, device_, windows_, gaps, out_.phases_ns);
    out_.queue = QueueDepthOf(process_, attribution_, device_, windows_);
    return std::move(out_);
  }

 private:
  ClassSummary& Of(LayerClass layer_class) {
    return out_.classes[static_cast<size_t>(layer_class)];
  }

  void AddSteps() {
    for (const StepWindow& window : windows_) {
      out_.steps.push_back({window.step, window.span.length_ns()});
    }
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

  void AddActivities(TallyKeeper& tallies) {
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

}  // namespace

int64_t DeviceSummary::busy_ns() const {
  return in(DeviceState::kCompute) + in(DeviceState::kComm) +
         in(DeviceState::kCopy);
}

IdleTimes DeviceSummary::idle_ns() const {
  IdleTimes idle = between_steps_ns;
  for (const ClassSummary& of_class : classes) AddTo(idle, of_class.idle_ns);
  return idle;
}

int64_t DeviceSummary::observed_ns() const {
  return wall_ns - in(DeviceState::kNotObserved)-idle_ns()[static_cast<size_t>(
                       IdleCause::kProfiler)];
}

std::optional<double> DeviceSummary::utilization() const {
  return Ratio(static_cast<double>(in(DeviceState::kCompute)),
               static_cast<double>(observed_ns()));
}

std::optional<DeviceSummary> SummariseDevice(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution, const Steps& steps, DeviceId device,
    TallyKeeper& tallies) {
  DeviceSummariser summariser(model, process, attribution, steps, device);
  if (summariser.windows().empty()) return std::nullopt;
  return summariser.Run(tallies);
}

}  // namespace dltap::analyzer
