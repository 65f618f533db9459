// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/slices/sliced_process.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

int64_t CompositeNs(const SliceEvents& slice, const SlicedDevice& device) {
  int64_t ns = 0;
  const Process& process = slice.process;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    if (activity.device != device.device) continue;
    if (!device.part.Holds(activity.begin_ns)) continue;
    const Attributed& attributed = slice.attribution.activities[i];
    if (attributed.class_from != ClassFrom::kComposite) continue;
    ns += activity.end_ns - activity.begin_ns;
  }
  return ns;
}

}  // namespace

void AddHostPart(const SliceEvents& slice, const Steps& counted,
                 const TimePart& part, SlicedProcess& out) {
  const ProcessAttribution& attribution = slice.attribution;
  TallyKeeper(slice.model, slice.process, attribution, out.tallies)
      .AddCalls(counted);
  const auto in_part = [&part](const std::vector<int64_t>& times) {
    return static_cast<uint64_t>(std::ranges::count_if(
        times, [&part](int64_t at) { return part.Holds(at); }));
  };
  out.launches_without_kernel += in_part(attribution.launches_without_kernel);
  out.kernels_without_launch += in_part(attribution.kernels_without_launch);
}

void AddDevicePart(const SliceEvents& slice, const SlicedDevice& device,
                   SlicedProcess& out) {
  AddOutside(slice.process, slice.attribution, device.device,
             Clipped(device.outside, device.part), device.windows, out.outside);
  out.composite_ns += CompositeNs(slice, device);
  if (device.windows.empty()) return;
  TallyKeeper tallies(slice.model, slice.process, slice.attribution,
                      out.tallies);
  const size_t d = device.device.value();
  // Which layers are one is asked of all steps at once, not of a slice.
  DeviceSummary sums =
      SummariseDevice(slice.model,
                      {slice.process, slice.attribution, device.steps,
                       device.device, device.windows, nullptr, device.earlier},
                      {tallies, nullptr, nullptr}, out.exposed[d]);
  sums.steps = device.step_times;
  std::optional<DeviceSummary>& into = out.devices[d];
  if (into) {
    into->Append(sums);
  } else {
    into = std::move(sums);
  }
}

}  // namespace dltap::analyzer
