// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/step_samples.h"

#include <numeric>
#include <utility>

#include "analyzer/metrics/base/mean_of_steps.h"

namespace dltap::analyzer {
namespace {

// A step that several devices take together is one sample.
std::vector<double> SamplesOf(std::vector<std::vector<double>> series) {
  std::vector<double> out;
  for (const std::vector<double>& values : Together(std::move(series))) {
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

std::vector<double> Scaled(const std::vector<int64_t>& values, double scale) {
  std::vector<double> out;
  for (const int64_t value : values) {
    out.push_back(static_cast<double>(value) * scale);
  }
  return out;
}

}  // namespace

Measured PerStep(const Side& side, double scale,
                 const std::function<bool(const SeriesKey&)>& wanted) {
  std::vector<std::vector<double>> series;
  int64_t sum = 0;
  for (const DeviceSummary& device : side.summary->devices) {
    std::vector<int64_t> windows(device.series.windows());
    for (const auto& [key, values] : device.series.all()) {
      if (!wanted(key)) continue;
      for (size_t i = 0; i < values.size(); ++i) windows[i] += values[i];
    }
    sum += std::accumulate(windows.begin(), windows.end(), int64_t{0});
    series.push_back(Scaled(windows, scale));
  }
  Measured out;
  if (series.empty()) return out;
  out.value =
      static_cast<double>(sum) / side.figures->totals.per_step() * scale;
  if (side.has_steps()) out.samples = SamplesOf(std::move(series));
  return out;
}

Measured StepLength(const Side& side, double scale) {
  if (!side.has_steps()) {
    if (side.summary->devices.empty()) return {};
    return {static_cast<double>(side.figures->totals.wall_ns) * scale};
  }
  std::vector<std::vector<double>> series;
  for (const DeviceSummary& device : side.summary->devices) {
    std::vector<int64_t> lengths;
    for (const StepTime& step : device.steps) lengths.push_back(step.ns);
    series.push_back(Scaled(lengths, scale));
  }
  const std::optional<double> mean_ns = side.figures->steps.mean_ns;
  if (!mean_ns) return {};
  return {*mean_ns * scale, SamplesOf(std::move(series))};
}

}  // namespace dltap::analyzer
