// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/sliced_summary.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/attribution/name_rules.h"
#include "analyzer/metrics/physical_device.h"
#include "analyzer/metrics/process_slicer.h"

namespace dltap::analyzer {
namespace {

// Union of intervals needs the events of all processes of a device at once.
bool AnyDeviceIsShared(const EventSource& source) {
  std::vector<std::vector<bool>> used;
  for (size_t p = 0; p < source.model().processes.size(); ++p) {
    std::vector<bool>& of_process = used.emplace_back();
    for (const uint64_t n : source.TotalsOf(p).of_device) {
      of_process.push_back(n > 0);
    }
  }
  const std::vector<PhysicalDevice> devices =
      PhysicalDevices(source.model(), used);
  return std::any_of(
      devices.begin(), devices.end(),
      [](const PhysicalDevice& device) { return device.size() > 1; });
}

// Who waits for whom shows in the events of all ranks at once.
bool SeveralRanksCommunicate(const EventSource& source) {
  size_t busy = 0;
  for (size_t p = 0; p < source.model().processes.size(); ++p) {
    busy += source.TotalsOf(p).activities > 0 ? 1 : 0;
  }
  const TextPool& texts = source.model().texts;
  for (size_t i = 0; busy > 1 && i < texts.size(); ++i) {
    const NameRule* rule = MatchKernelName(Demangle(texts[TextId(i)]));
    if (rule != nullptr && rule->layer_class == LayerClass::kComm) return true;
  }
  return false;
}

std::string WhyNot(const EventSource& source, const Selection& selection) {
  if (selection != Selection()) return "only a part of the run is asked for";
  if (AnyDeviceIsShared(source)) return "several processes share a GPU";
  if (SeveralRanksCommunicate(source)) return "several ranks communicate";
  for (const Process& process : source.model().processes) {
    if (!process.delays.empty()) return "the run had delays";
  }
  return "";
}

void AddProcess(const EventSource& source, size_t index, SlicedProcess sliced,
                ProcessSummary summary, Summary& out) {
  summary.steps = SummariseSteps(sliced.steps);
  summary.launches_without_kernel = sliced.launches_without_kernel;
  summary.kernels_without_launch = sliced.kernels_without_launch;
  summary.composite_ns = sliced.composite_ns;
  summary.has_gpu_work = source.TotalsOf(index).activities > 0;
  out.outside.Add(sliced.outside);
  if (summary.has_gpu_work) AddLeftOutSteps(summary.steps, out.outside);
  for (std::optional<DeviceSummary>& device : sliced.devices) {
    if (!device) continue;
    device->processes = {summary.key};
    std::sort(device->steps.begin(), device->steps.end());
    out.devices.push_back(std::move(*device));
  }
  out.tallies.Add(sliced.tallies);
  out.collectives.Add(sliced.collectives);
  out.processes.push_back(std::move(summary));
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
  for (size_t p = 0; p < model.processes.size(); ++p) {
    ProcessSlicer slicer(source, p, options, limits, progress);
    std::optional<SlicedProcess> sliced = slicer.Run();
    if (!sliced) {
      why_not = slicer.why_not();
      return std::nullopt;
    }
    AddProcess(source, p, std::move(*sliced), std::move(summaries[p]), out);
  }
  std::sort(out.processes.begin(), out.processes.end());
  std::sort(out.devices.begin(), out.devices.end());
  return out;
}

}  // namespace dltap::analyzer
