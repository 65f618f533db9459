// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/devices/device_summary.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/base/api_name.h"
#include "analyzer/metrics/base/add_arrays.h"
#include "analyzer/metrics/base/ratio.h"
#include "analyzer/metrics/devices/window_series.h"
#include "analyzer/metrics/idle/gaps.h"
#include "analyzer/metrics/path/critical_path.h"
#include "analyzer/metrics/path/what_if.h"
#include "analyzer/metrics/windows/window.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kNoOperator = "no operator";

class DeviceSummariser {
 public:
  DeviceSummariser(const TraceModel& model, const DeviceView& view,
                   std::vector<Interval>& exposed_comm)
      : model_(model),
        exposed_comm_(exposed_comm),
        process_(view.process),
        attribution_(view.attribution),
        steps_(view.steps),
        device_(view.device),
        windows_(view.windows),
        earlier_(view.earlier),
        scenarios_(view.scenarios),
        gpu_(opmodel::FindGpuByProduct(
            view.process.devices[view.device.value()].name)),
        avoidable_(model, view.process, view.attribution, view.windows, gpu_),
        drained_by_(model.entry_points.size()),
        signs_(model, view.process, view.windows) {
    out_.series = StepSeries(windows_.size());
  }

  DeviceSummary Run(const DeviceKeepers& keepers) {
    const Device& device = process_.devices[device_.value()];
    out_.ordinal = device.ordinal;
    out_.name = device.name;
    out_.uuid = device.uuid;
    for (const StepWindow& window : windows_) {
      out_.windows.push_back(window.span);
    }
    AddSegments();
    AddActivities(keepers);
    const HostView host(model_, process_, attribution_, steps_, device_);
    const FeedersWork found = FindGaps(
        process_, attribution_, steps_, host, device_, windows_,
        [&](const Gap& gap) {
          AddGap(gap);
          if (keepers.layers == nullptr) return;
          keepers.layers->AddGap(gap.ended_by, gap.between_steps, gap.ns);
        },
        earlier_,
        [this](const Gap& gap) {
          signs_.AddGap(gap);
          if (gap.drained_in.known()) drained_in_.insert(gap.drained_in);
        });
    out_.host_work_ns = found.host_work_ns;
    out_.host_work_wall_ns = found.host_work_wall_ns;
    out_.host_work_is_bound = found.host_work_is_bound;
    out_.input_samples = found.input_samples;
    out_.input_runnable = found.input_runnable;
    out_.avoidable = avoidable_.Take();
    out_.cpu_samples = found.cpu_samples;
    out_.queue = QueueDepthOf(process_, attribution_, device_, windows_);
    out_.signs = signs_.Take();
    out_.seen_frames = seen_frames_.Take();
    out_.phases_ns = PhasesOf(out_.parts);
    AddPath(host);
    return std::move(out_);
  }

 private:
  ClassSummary& Of(LayerClass layer_class) {
    return out_.classes[static_cast<size_t>(layer_class)];
  }

  void AddSegments() {
    VisitSegments(process_, attribution_, device_, windows_,
                  [this](const Segment& segment) {
                    AddSegment(segment, series_.AddSegment(segment));
                  });
  }

  void AddSegment(const Segment& segment, size_t window) {
    const int64_t ns = segment.span.length_ns();
    out_.wall_ns += ns;
    out_.state_ns[static_cast<size_t>(segment.state)] += ns;
    AddPhase(attribution_, segment, out_.parts);
    if (segment.leading == kNoActivity) return;
    signs_.AddSegment(
        segment, attribution_.activities[segment.leading].direction, window);
    if (segment.state == DeviceState::kComm) {
      exposed_comm_.push_back(segment.span);
    }
    bool any_copy = false;
    for (uint32_t left = segment.classes; left != 0; left &= left - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(left));
      const DeviceState state = StateOf(static_cast<LayerClass>(i));
      any_copy |= state == DeviceState::kCopy;
      out_.classes[i].busy_ns += ns;
      if (state == segment.state && state != DeviceState::kCompute) {
        out_.classes[i].exposed_ns += ns;
      }
      if (segment.classes == uint32_t{1} << i) {
        out_.classes[i].exclusive_ns += ns;
      }
    }
    if (any_copy && segment.state != DeviceState::kCopy) {
      out_.copy_hidden_ns += ns;
    }
  }

  void AddActivities(const DeviceKeepers& keepers) {
    std::vector<bool> seen(attribution_.works.size());
    size_t near = 0;
    size_t near_earlier = 0;
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Activity& activity = process_.activities[i];
      if (activity.device != device_) continue;
      const Interval span{activity.begin_ns, activity.end_ns};
      const int64_t ns = InsideNs(windows_, span, near);
      const bool counted = WasCounted(span, near_earlier);
      const bool is_here = IsInside(windows_, span, ns, near);
      if (!is_here && !counted) continue;
      const Attributed& attributed = attribution_.activities[i];
      ClassSummary& of_class = Of(attributed.layer_class);
      bool new_work = false;
      if (attributed.work.known()) {
        new_work = !seen[attributed.work.value()] && !counted;
        seen[attributed.work.value()] = true;
      }
      signs_.AddActivity(activity, attributed.layer_class, ns, !counted);
      const bool new_launch = IsNewLaunch(activity);
      if (!is_here) continue;
      if (!counted) Count(activity, new_launch);
      series_.AddActivity(span, attributed);
      of_class.gpu_ns += ns;
      of_class.calls += new_work;
      of_class.kernels += !counted;
      of_class.direction_ns[static_cast<size_t>(attributed.direction)] += ns;
      of_class.joined_by_ns[static_cast<size_t>(attributed.joined_by)] += ns;
      of_class.class_from_ns[static_cast<size_t>(attributed.class_from)] += ns;
      const Efficiency efficiency =
          EfficiencyOf(attribution_, activity, attributed, ns, gpu_);
      of_class.efficiency.Add(efficiency);
      avoidable_.Add(i, ns, efficiency, !counted);
      const Counts counts = counted    ? Counts::kTime
                            : new_work ? Counts::kWork
                                       : Counts::kActivity;
      const TallyRows rows = keepers.tallies.Add(i, ns, efficiency, counts);
      if (keepers.layers != nullptr) {
        keepers.layers->Add(i, ns, efficiency, !counted);
      }
      if (keepers.tree != nullptr) keepers.tree->Add(i, rows, ns, efficiency);
    }
  }

  // All kernels of a graph that runs have one correlation id. Not every source
  // says which kernels are of a graph: those of one id in a row are, too.
  bool IsNewLaunch(const Activity& activity) {
    if (activity.kind != ActivityKind::kKernel) return false;
    const uint64_t correlation = activity.correlation;
    const bool in_a_row = correlation != 0 && correlation == last_launch_;
    last_launch_ = correlation;
    const bool of_graph = activity.graph_node != 0 || activity.graph != 0;
    if (!of_graph || correlation == 0) return !in_a_row;
    return graph_runs_.insert(correlation).second && !in_a_row;
  }

  void Count(const Activity& activity, bool new_launch) {
    WorkCounts& counts = out_.counts;
    counts.launches += new_launch;
    counts.kernels += activity.kind == ActivityKind::kKernel;
    counts.memsets += activity.kind == ActivityKind::kMemset;
    if (activity.kind != ActivityKind::kMemcpy) return;
    ++counts.copies;
    counts.copied_bytes += activity.bytes;
  }

  // Whether a part before this one counted an activity.
  bool WasCounted(Interval span, size_t& near) const {
    return !earlier_.empty() && span.begin_ns < earlier_.back().span.end_ns &&
           IsInside(earlier_, span, InsideNs(earlier_, span, near), near);
  }

  // Of `windows`, which `near` is at: `ns` of the span are inside. A coarse
  // clock gives short work no length; it counts where it begins.
  static bool IsInside(const std::vector<StepWindow>& windows, Interval span,
                       int64_t ns, size_t near) {
    if (ns > 0 || span.begin_ns != span.end_ns) return ns > 0;
    return near < windows.size() &&
           windows[near].span.begin_ns <= span.begin_ns;
  }

  void AddPath(const HostView& host) {
    const StepGraph graph =
        GraphOf(model_, process_, attribution_, host,
                scenarios_ == nullptr ? GraphUse::kPath : GraphUse::kReplay);
    out_.path = CriticalPath(graph, process_, attribution_, device_, windows_);
    if (scenarios_ == nullptr) return;
    out_.what_if = WhatIf(graph, process_, attribution_, device_, windows_,
                          out_.path, *scenarios_);
  }

  void AddGap(const Gap& gap) {
    AddPhases(attribution_, gap, out_.parts);
    signs_.AddGap(gap);
    series_.AddGap(gap, gap.window);
    AddDrain(gap);
    seen_frames_.Add(gap);
    const size_t charged = ChargedTo(attribution_, gap);
    const bool between = gap.between_steps || charged == kNoActivity;
    ClassSummary* of_class =
        between ? nullptr : &Of(attribution_.activities[charged].layer_class);
    AddTo(between ? out_.between_steps_ns : of_class->idle_ns, gap.ns);
    auto& drained =
        between ? out_.between_steps_drained_ns : of_class->drained_ns;
    drained[static_cast<size_t>(gap.drained_by)] += gap.host_ns;
    auto& unknown =
        between ? out_.between_steps_unknown_in_ns : of_class->unknown_in_ns;
    for (const auto& [name, ns] : gap.unknown_in) {
      unknown[std::string(name.known() ? model_.texts[name] : kNoOperator)] +=
          ns;
    }
  }

  // A call counts once, however many gaps follow it.
  void AddDrain(const Gap& gap) {
    if (!gap.drained_in.known()) return;
    const Call& call = process_.calls[gap.drained_in.value()];
    DrainSums*& sums = drained_by_[call.entry.value()];
    if (sums == nullptr) {
      sums = &out_.drained_by[std::string(
          ApiName(model_.entry_points[call.entry.value()]))];
    }
    sums->calls += drained_in_.insert(gap.drained_in).second;
    sums->host_ns += gap.host_ns;
  }

  const TraceModel& model_;
  std::vector<Interval>& exposed_comm_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const Steps& steps_;
  const DeviceId device_;
  const std::vector<StepWindow>& windows_;
  const std::vector<StepWindow>& earlier_;
  const std::vector<Scenario>* const scenarios_;
  const opmodel::GpuSpec* const gpu_;
  AvoidableKeeper avoidable_;
  absl::flat_hash_set<CallId> drained_in_;    // calls that were counted
  std::vector<DrainSums*> drained_by_;        // in out_, by entry point
  absl::flat_hash_set<uint64_t> graph_runs_;  // by correlation
  uint64_t last_launch_ = 0;                  // the same; 0: none
  SignKeeper signs_;
  SeenFramesKeeper seen_frames_{model_};
  DeviceSummary out_{};
  WindowSeries series_{attribution_, windows_, out_.series};
};

}  // namespace

ProcessKey KeyOf(const Process& process) {
  return {process.rank, process.host, process.pid};
}

int64_t DeviceSummary::busy_ns() const {
  return in(DeviceState::kCompute) + in(DeviceState::kComm) +
         in(DeviceState::kCopy);
}

int64_t DeviceSummary::comm_hidden_ns() const {
  return classes[static_cast<size_t>(LayerClass::kComm)].hidden_ns();
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

void DeviceSummary::Append(const DeviceSummary& later) {
  steps.insert(steps.end(), later.steps.begin(), later.steps.end());
  windows.insert(windows.end(), later.windows.begin(), later.windows.end());
  wall_ns += later.wall_ns;
  AddTo(state_ns, later.state_ns);
  comm_exposed.Add(later.comm_exposed);
  copy_hidden_ns += later.copy_hidden_ns;
  AddTo(phases_ns, later.phases_ns);
  parts.Add(later.parts);
  AddTo(between_steps_ns, later.between_steps_ns);
  AddTo(between_steps_drained_ns, later.between_steps_drained_ns);
  for (const auto& [name, ns] : later.between_steps_unknown_in_ns) {
    between_steps_unknown_in_ns[name] += ns;
  }
  for (const auto& [name, sums] : later.drained_by) {
    DrainSums& into = drained_by[name];
    into.calls += sums.calls;
    into.host_ns += sums.host_ns;
  }
  host_work_ns += later.host_work_ns;
  host_work_wall_ns += later.host_work_wall_ns;
  host_work_is_bound |= later.host_work_is_bound;
  input_samples += later.input_samples;
  input_runnable += later.input_runnable;
  cpu_samples += later.cpu_samples;
  seen_frames.Add(later.seen_frames);
  signs.Add(later.signs);
  for (size_t i = 0; i < kClassCount; ++i) classes[i].Add(later.classes[i]);
  avoidable.Add(later.avoidable);
  counts.Add(later.counts);
  series.Append(later.series);
  queue.Add(later.queue);
  path.Add(later.path);
}

void DeviceSummary::JoinWindows() {
  if (windows.empty()) return;
  windows = {{windows.front().begin_ns, windows.back().end_ns}};
  signs.JoinWindows(windows.front().length_ns());
  series.JoinWindows();
}

DeviceSummary SummariseDevice(const TraceModel& model, const DeviceView& view,
                              const DeviceKeepers& keepers,
                              std::vector<Interval>& exposed_comm) {
  return DeviceSummariser(model, view, exposed_comm).Run(keepers);
}

}  // namespace dltap::analyzer
