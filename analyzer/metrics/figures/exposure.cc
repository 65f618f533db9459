// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/exposure.h"

#include "analyzer/metrics/windows/device_timeline.h"

namespace dltap::analyzer {
namespace {

Exposure Of(int64_t exposed_ns, int64_t hidden_ns, const Totals& totals) {
  const double steps = totals.per_step();
  return {exposed_ns, hidden_ns, static_cast<double>(exposed_ns) / steps,
          static_cast<double>(hidden_ns) / steps};
}

Exposure Of(const ClassSummary& sums, const Totals& totals) {
  return Of(sums.exposed_ns, sums.hidden_ns(), totals);
}

}  // namespace

Exposures ExposuresOf(const Totals& totals) {
  const auto copy = static_cast<size_t>(DeviceState::kCopy);
  const CommTimes& times = totals.comm_exposed;
  const auto per_step = [&totals](int64_t ns) {
    return static_cast<double>(ns) / totals.per_step();
  };
  return {Of(totals.classes[static_cast<size_t>(LayerClass::kComm)], totals),
          times,
          per_step(times.waiting_ns),
          per_step(times.transfer_ns),
          per_step(times.unknown_ns),
          Of(totals.state_ns[copy], totals.copy_hidden_ns, totals)};
}

void AddExposures(const Totals& totals, std::vector<ClassRow>& rows) {
  for (ClassRow& row : rows) {
    if (StateOf(row.layer_class) == DeviceState::kCompute) continue;
    const Exposure exposure = Of(row.figures.sums, totals);
    row.figures.step_mean.exposed_ns = exposure.exposed_step_ns;
    row.figures.step_mean.hidden_ns = exposure.hidden_step_ns;
  }
}

}  // namespace dltap::analyzer
