// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/slices/sliced_summary.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/metrics/slices/run_slicer.h"
#include "analyzer/metrics/slices/step_slicer.h"
#include "analyzer/metrics/summary/collective_sums.h"
#include "analyzer/metrics/windows/physical_device.h"

namespace dltap::analyzer {
namespace {

// Union of intervals needs the events of all processes of a device at once.
bool AnyDeviceIsShared(const EventSource& source, const Selection& selection) {
  std::vector<std::vector<bool>> used;
  for (size_t p = 0; p < source.model().processes.size(); ++p) {
    const bool is_selected = Selects(selection, source.model().processes[p]);
    std::vector<bool>& of_process = used.emplace_back();
    for (const uint64_t n : source.TotalsOf(p).of_device) {
      of_process.push_back(is_selected && n > 0);
    }
  }
  const std::vector<PhysicalDevice> devices =
      PhysicalDevices(source.model(), used);
  return std::any_of(
      devices.begin(), devices.end(),
      [](const PhysicalDevice& device) { return device.size() > 1; });
}

std::string WhyNot(const EventSource& source, const Selection& selection) {
  if (AnyDeviceIsShared(source, selection)) {
    return "several processes share a GPU";
  }
  for (const Process& process : source.model().processes) {
    if (!process.delays.empty()) return "the run had delays";
  }
  return "";
}

// What all ranks do together needs no events, once each of them was gone
// through.
struct Communication {
  struct OnDevice {
    size_t summary;  // into Summary::devices
    DeviceMember member;
    std::vector<Interval> exposed;
  };
  std::vector<OnDevice> devices;
  std::vector<CollectiveRuns> runs;  // by process
};

bool HasSelectedWork(const EventSource& source, size_t index,
                     const Selection& selection) {
  const std::vector<uint64_t>& of_device = source.TotalsOf(index).of_device;
  const std::vector<Device>& devices = source.model().processes[index].devices;
  for (size_t d = 0; d < of_device.size(); ++d) {
    if (of_device[d] > 0 && Selects(selection, devices[d])) return true;
  }
  return false;
}

std::optional<SlicedProcess> SliceByStep(
    EventSource& source, size_t index, const AttributionOptions& options,
    const Selection& selection, const SliceLimits& limits, std::string& why_not,
    bool& has_no_steps, const std::function<void(double part)>& progress) {
  StepSlicer slicer(source, index, options, selection, limits, progress);
  std::optional<SlicedProcess> sliced = slicer.Run();
  why_not = slicer.why_not();
  has_no_steps = slicer.has_no_steps();
  return sliced;
}

// Without steps, a process is one window. Where they begin late, or are very
// long, much of the begin has to be looked at to see some.
std::optional<SlicedProcess> Slice(
    EventSource& source, size_t index, const AttributionOptions& options,
    const Selection& selection, const SliceLimits& limits, std::string& why_not,
    const std::function<void(double part)>& progress) {
  const bool may_have_steps = !selection.whole_run && !selection.window &&
                              source.TotalsOf(index).activities > 0;
  bool has_no_steps = true;
  if (may_have_steps) {
    auto sliced = SliceByStep(source, index, options, selection, limits,
                              why_not, has_no_steps, progress);
    if (sliced || !has_no_steps) return sliced;
  }
  RunSlicer slicer(source, index, options, selection, limits, progress);
  std::optional<SlicedProcess> sliced = slicer.Run();
  if (sliced) return sliced;
  if (slicer.has_steps()) {
    SliceLimits wider = limits;
    wider.events_without_steps = limits.most_events;
    sliced = SliceByStep(source, index, options, selection, wider, why_not,
                         has_no_steps, progress);
    if (sliced || !has_no_steps) return sliced;
  }
  why_not = slicer.why_not();
  return std::nullopt;
}

void AddProcess(const EventSource& source, size_t index, SlicedProcess sliced,
                ProcessSummary summary, Communication& communication,
                Summary& out) {
  out.outside.Add(sliced.outside);
  communication.runs.push_back(std::move(sliced.collectives));
  if (!Selects(out.selection, source.model().processes[index])) return;
  summary.steps = SummariseSteps(sliced.steps);
  summary.launches_without_kernel = sliced.launches_without_kernel;
  summary.kernels_without_launch = sliced.kernels_without_launch;
  summary.composite_ns = sliced.composite_ns;
  summary.has_gpu_work = HasSelectedWork(source, index, out.selection);
  if (summary.has_gpu_work) AddLeftOutSteps(summary.steps, out.outside);
  for (size_t d = 0; d < sliced.devices.size(); ++d) {
    std::optional<DeviceSummary>& device = sliced.devices[d];
    if (!device) continue;
    device->processes = {summary.key};
    std::sort(device->steps.begin(), device->steps.end());
    communication.devices.push_back({out.devices.size(),
                                     {index, DeviceId(d)},
                                     std::move(sliced.exposed[d])});
    out.devices.push_back(std::move(*device));
  }
  out.tallies.Add(sliced.tallies);
  out.processes.push_back(std::move(summary));
}

void AddCommunication(const TraceModel& model, Communication communication,
                      Summary& out) {
  CollectiveKeeper collectives(
      model, JoinRuns(model, std::move(communication.runs)), out.collectives);
  for (const Communication::OnDevice& of : communication.devices) {
    DeviceSummary& device = out.devices[of.summary];
    device.comm_exposed =
        collectives.AddDevice({of.member}, device.windows, of.exposed);
  }
}

}  // namespace

std::optional<Summary> SummariseInSlices(
    EventSource& source, const AttributionOptions& options,
    const Selection& selection, const SliceLimits& limits, std::string& why_not,
    const std::function<void(double part)>& progress) {
  why_not = WhyNot(source, selection);
  if (!why_not.empty()) return std::nullopt;
  const TraceModel& model = source.model();
  Summary out = DescribeTrace(model, selection);
  out.in_slices = true;
  std::vector<ProcessSummary> summaries;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    summaries.push_back(
        DescribeProcess(model, model.processes[p], source.TotalsOf(p)));
  }
  Communication communication;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    std::optional<SlicedProcess> sliced =
        Slice(source, p, options, selection, limits, why_not, progress);
    if (!sliced) return std::nullopt;
    AddProcess(source, p, std::move(*sliced), std::move(summaries[p]),
               communication, out);
  }
  AddCommunication(model, std::move(communication), out);
  std::sort(out.processes.begin(), out.processes.end());
  std::sort(out.devices.begin(), out.devices.end());
  return out;
}

}  // namespace dltap::analyzer
