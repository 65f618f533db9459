// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary/totals.h"

#include <algorithm>

#include "analyzer/metrics/base/add_arrays.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

void Add(const DeviceSummary& device, Totals& totals) {
  ++totals.devices;
  totals.step_windows += device.steps.size();
  totals.wall_ns += device.wall_ns;
  totals.observed_ns += device.observed_ns();
  totals.longest_wall_ns = std::max(totals.longest_wall_ns, device.wall_ns);
  AddTo(totals.state_ns, device.state_ns);
  totals.comm_exposed.Add(device.comm_exposed);
  totals.copy_hidden_ns += device.copy_hidden_ns;
  AddTo(totals.phases_ns, device.phases_ns);
  totals.parts.Add(device.parts);
  AddTo(totals.idle_ns, device.idle_ns());
  AddTo(totals.between_steps_ns, device.between_steps_ns);
  AddTo(totals.between_steps_drained_ns, device.between_steps_drained_ns);
  AddTo(totals.drained_ns, device.between_steps_drained_ns);
  for (const auto& [name, ns] : device.between_steps_unknown_in_ns) {
    totals.between_steps_unknown_in_ns[name] += ns;
  }
  totals.seen_frames.Add(device.seen_frames);
  for (const auto& [name, sums] : device.drained_by) {
    totals.drained_by[name].calls += sums.calls;
    totals.drained_by[name].host_ns += sums.host_ns;
  }
  totals.host_work_ns += device.host_work_ns;
  totals.host_work_wall_ns += device.host_work_wall_ns;
  totals.host_work_is_bound |= device.host_work_is_bound;
  totals.input_samples += device.input_samples;
  totals.input_runnable += device.input_runnable;
  totals.avoidable.Add(device.avoidable);
  totals.cpu_samples += device.cpu_samples;
  totals.signs.Add(device.signs);
  for (size_t c = 0; c < kClassCount; ++c) {
    totals.classes[c].Add(device.classes[c]);
    totals.all.Add(device.classes[c]);
    AddTo(totals.drained_ns, device.classes[c].drained_ns);
  }
}

}  // namespace

double Totals::per_step() const {
  return static_cast<double>(std::max<size_t>(1, step_windows));
}

std::optional<double> Totals::ShareOfTime(double ns) const {
  return Ratio(ns, static_cast<double>(observed_ns));
}

Totals TotalsOf(const Summary& summary) {
  Totals totals;
  for (const DeviceSummary& device : summary.devices) Add(device, totals);
  return totals;
}

}  // namespace dltap::analyzer
