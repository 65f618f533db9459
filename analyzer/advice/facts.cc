// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/facts.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

const opmodel::GpuSpec* GpuOf(const Summary& summary) {
  if (summary.devices.empty()) return nullptr;
  const auto* gpu = opmodel::FindGpuByProduct(summary.devices.front().name);
  for (const DeviceSummary& device : summary.devices) {
    if (opmodel::FindGpuByProduct(device.name) != gpu) return nullptr;
  }
  return gpu;
}

Summary Only(const DeviceSummary& device) {
  Summary only;
  only.devices = {device};
  return only;
}

}  // namespace

Facts::Facts(const Summary& all, const Figures& of_all)
    : summary(all),
      figures(of_all),
      totals(of_all.totals),
      classes(of_all.classes),
      framework(FrameworkOf(of_all.program.frameworks, all.tallies)),
      gpu(GpuOf(all)),
      steps(totals.step_windows),
      step_ns(Step(totals.wall_ns)) {}

Facts::Facts(const Summary& all, const Figures& of_all,
             const DeviceSummary& device)
    : summary(all),
      figures(of_all),
      totals(TotalsOf(Only(device))),
      classes(ClassRows(totals)),
      framework(FrameworkOf(of_all.program.frameworks, all.tallies)),
      gpu(opmodel::FindGpuByProduct(device.name)),
      steps(totals.step_windows),
      step_ns(Step(totals.wall_ns)) {}

const ClassRow* Facts::RowOf(LayerClass layer_class) const {
  const auto row = std::find_if(
      classes.begin(), classes.end(),
      [&](const ClassRow& r) { return r.layer_class == layer_class; });
  return row == classes.end() ? nullptr : &*row;
}

}  // namespace dltap::analyzer
