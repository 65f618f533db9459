// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/devices/united_process.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace dltap::analyzer {
namespace {

template <typename Id>
Id Moved(Id id, size_t by) {
  return id.known() ? Id(id.value() + by) : id;
}

// Whoever adds a field that is an id must move it in AddActivities or AddCalls
// too.
static_assert(sizeof(Attributed) == 32 && sizeof(Call) == 56,
              "a field was added: does it hold an id that moves?");

// Appends one process after another; ids move behind those already there.
class Uniter {
 public:
  Uniter(const TraceModel& model, const Attribution& attribution,
         const PhysicalDevice& shared)
      : model_(model), attribution_(attribution), shared_(shared) {}

  UnitedProcess Run() {
    const DeviceMember& first = shared_.front();
    out_.device = DeviceId(0);
    to_.devices.push_back(
        model_.processes[first.process].devices[first.device.value()]);
    to_.per_call_overhead_ns = -1;
    to_.complete = true;
    for (size_t i = 0; i < shared_.size(); ++i) {
      const size_t process = shared_[i].process;
      if (i > 0 && shared_[i - 1].process == process) continue;
      Append(process);
    }
    Sort();
    return std::move(out_);
  }

 private:
  void Append(size_t index) {
    const Process& from = model_.processes[index];
    MapDevices(index);
    AddSelf(from);
    AddHost(from);
    for (size_t i = 0; i < from.activities.size(); ++i) {
      out_.origins.emplace_back(index, i);
    }
    AddActivities(from, attribution_.processes[index]);
    AddCalls(from, attribution_.processes[index]);
    to_.threads.insert(to_.threads.end(), from.threads.begin(),
                       from.threads.end());
  }

  void MapDevices(size_t index) {
    const Process& from = model_.processes[index];
    devices_.clear();
    for (size_t d = 0; d < from.devices.size(); ++d) {
      const bool is_shared =
          std::any_of(shared_.begin(), shared_.end(), [&](const auto& member) {
            return member.process == index && member.device == DeviceId(d);
          });
      if (is_shared) {
        devices_.push_back(out_.device);
        continue;
      }
      devices_.push_back(DeviceId(to_.devices.size()));
      to_.devices.push_back(from.devices[d]);
    }
  }

  void AddSelf(const Process& from) {
    const bool is_first = std::exchange(empty_, false);
    if (is_first) to_.host = from.host;
    to_.begin_ns =
        is_first ? from.begin_ns : std::min(to_.begin_ns, from.begin_ns);
    to_.end_ns = is_first ? from.end_ns : std::max(to_.end_ns, from.end_ns);
    to_.clock_residual_ns =
        std::max(to_.clock_residual_ns, from.clock_residual_ns);
    to_.per_call_overhead_ns =
        std::max(to_.per_call_overhead_ns, from.per_call_overhead_ns);
    to_.has_cpu_samples = to_.has_cpu_samples || from.has_cpu_samples;
    to_.complete = to_.complete && from.complete;
  }

  void AddHost(const Process& from) {
    const size_t threads = to_.threads.size();
    for (CpuSample sample : from.cpu_samples) {
      sample.thread = Moved(sample.thread, threads);
      to_.cpu_samples.push_back(sample);
    }
    for (OffCpu off : from.off_cpu) {
      off.thread = Moved(off.thread, threads);
      to_.off_cpu.push_back(off);
    }
    for (SwitchesKnown known : from.switches_known) {
      known.thread = Moved(known.thread, threads);
      to_.switches_known.push_back(known);
    }
    for (FramesSeen seen : from.frames_seen) {
      seen.thread = Moved(seen.thread, threads);
      to_.frames_seen.push_back(seen);
    }
    to_.process_samples.insert(to_.process_samples.end(),
                               from.process_samples.begin(),
                               from.process_samples.end());
    to_.delays.insert(to_.delays.end(), from.delays.begin(), from.delays.end());
    to_.delayed_calls.insert(to_.delayed_calls.end(),
                             from.delayed_calls.begin(),
                             from.delayed_calls.end());
    for (OpenCall call : from.open_calls) {
      call.thread = Moved(call.thread, threads);
      to_.open_calls.push_back(call);
    }
    for (Sync sync : from.syncs) {
      if (sync.device.known()) sync.device = devices_[sync.device.value()];
      sync.stream = Moved(sync.stream, to_.streams.size());
      sync.event_stream = Moved(sync.event_stream, to_.streams.size());
      to_.syncs.push_back(sync);
    }
    for (NotObserved span : from.not_observed) {
      span.device = devices_[span.device.value()];
      to_.not_observed.push_back(span);
    }
  }

  void AddActivities(const Process& from, const ProcessAttribution& of) {
    const size_t activities = to_.activities.size();
    const auto shapes = static_cast<uint32_t>(to_.launch_shapes.size());
    for (size_t i = 0; i < from.activities.size(); ++i) {
      Activity activity = from.activities[i];
      activity.device = devices_[activity.device.value()];
      activity.stream = Moved(activity.stream, to_.streams.size());
      activity.annotation = Moved(activity.annotation, to_.ranges.size());
      activity.shape += shapes;
      to_.activities.push_back(activity);
      Attributed attributed = of.activities[i];
      const size_t calls = to_.calls.size();
      attributed.submitted_by = Moved(attributed.submitted_by, calls);
      attributed.owner = Moved(attributed.owner, calls);
      attributed.work = Moved(attributed.work, out_.attribution.works.size());
      attributed.traffic =
          Moved(attributed.traffic, out_.attribution.works.size());
      attributed.ruling = Moved(attributed.ruling, to_.ranges.size());
      attributed.glue_of = Moved(attributed.glue_of, activities);
      out_.attribution.activities.push_back(attributed);
    }
    for (const auto& [key, work] : of.launch_works) {
      const LaunchKey moved{key.first, key.second + shapes};
      out_.attribution.launch_works.try_emplace(moved, work);
    }
    for (Stream stream : from.streams) {
      stream.device = devices_[stream.device.value()];
      to_.streams.push_back(stream);
    }
    to_.launch_shapes.insert(to_.launch_shapes.end(),
                             from.launch_shapes.begin(),
                             from.launch_shapes.end());
  }

  void AddCalls(const Process& from, const ProcessAttribution& of) {
    const size_t calls = to_.calls.size();
    const size_t threads = to_.threads.size();
    for (Work work : of.works) {
      work.call = Moved(work.call, calls);
      work.kind += static_cast<uint32_t>(out_.attribution.work_kinds.size());
      out_.attribution.works.push_back(work);
    }
    out_.attribution.work_kinds.insert(out_.attribution.work_kinds.end(),
                                       of.work_kinds.begin(),
                                       of.work_kinds.end());
    for (const CallId outermost : of.outermost) {
      out_.attribution.outermost.push_back(Moved(outermost, calls));
    }
    for (Call call : from.calls) {
      call.thread = Moved(call.thread, threads);
      call.payload_offset += static_cast<uint32_t>(to_.payloads.size());
      to_.calls.push_back(call);
    }
    to_.payloads.insert(to_.payloads.end(), from.payloads.begin(),
                        from.payloads.end());
    for (Range range : from.ranges) {
      range.thread = Moved(range.thread, threads);
      to_.ranges.push_back(range);
    }
  }

  // Calls and ranges are in order: threads were appended as a whole.
  void Sort() {
    std::vector<size_t> order(to_.activities.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return to_.activities[a].begin_ns < to_.activities[b].begin_ns;
    });
    std::vector<ActivityId> place(order.size());  // after, by before
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = ActivityId(i);
    std::vector<Activity> activities;
    std::vector<Attributed> attributed;
    std::vector<std::pair<size_t, size_t>> origins;
    for (const size_t i : order) {
      origins.push_back(out_.origins[i]);
      activities.push_back(to_.activities[i]);
      attributed.push_back(out_.attribution.activities[i]);
      ActivityId& glue_of = attributed.back().glue_of;
      if (glue_of.known()) glue_of = place[glue_of.value()];
    }
    to_.activities = std::move(activities);
    out_.origins = std::move(origins);
    out_.attribution.activities = std::move(attributed);
    std::ranges::stable_sort(to_.cpu_samples, {}, &CpuSample::at_ns);
    std::ranges::stable_sort(to_.off_cpu, {}, &OffCpu::begin_ns);
    std::ranges::stable_sort(to_.switches_known, {}, &SwitchesKnown::begin_ns);
    std::ranges::stable_sort(to_.frames_seen, {}, &FramesSeen::at_ns);
    std::ranges::stable_sort(to_.process_samples, {}, &ProcessSample::at_ns);
    std::ranges::stable_sort(to_.delays, {}, &DelayWindow::begin_ns);
    std::ranges::sort(to_.delayed_calls);
  }

  const TraceModel& model_;
  const Attribution& attribution_;
  const PhysicalDevice& shared_;
  UnitedProcess out_;
  Process& to_ = out_.process;
  std::vector<DeviceId> devices_;  // of the process being appended
  bool empty_ = true;
};

}  // namespace

UnitedProcess Unite(const TraceModel& model, const Attribution& attribution,
                    const PhysicalDevice& shared) {
  return Uniter(model, attribution, shared).Run();
}

}  // namespace dltap::analyzer
