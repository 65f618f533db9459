// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/mean_interval.h"

#include <cmath>
#include <utility>

#include "analyzer/metrics/base/mean_of_steps.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kFewest = 10;

// Each series tells of its own mean; that of all is weighted by their steps. At
// worst all are off to the same side, as ranks that wait for each other.
std::array<double, 2> IntervalOf(
    const std::vector<std::vector<double>>& series) {
  double n = 0;
  for (const auto& values : series) n += static_cast<double>(values.size());
  double sum = 0;
  double off = 0;
  for (const std::vector<double>& values : series) {
    const auto steps = static_cast<double>(values.size());
    const StepsMean part = MeanOfSteps(values);
    sum += steps * part.mean;
    off += steps / n * StudentQuantile(part.degrees) * std::sqrt(part.variance);
  }
  const double mean = sum / n;
  return {mean - off, mean + off};
}

}  // namespace

std::optional<std::array<double, 2>> MeanInterval(
    const std::vector<std::vector<int64_t>>& series) {
  size_t n = 0;
  std::vector<std::vector<double>> known;
  for (const std::vector<int64_t>& values : series) {
    n += values.size();
    if (!values.empty()) known.emplace_back(values.begin(), values.end());
  }
  if (n < kFewest) return std::nullopt;
  known = Together(std::move(known));
  for (const std::vector<double>& values : known) {
    if (values.size() < 2) return std::nullopt;
  }
  return IntervalOf(known);
}

}  // namespace dltap::analyzer
