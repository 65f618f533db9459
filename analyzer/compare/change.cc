// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/change.h"

#include <cmath>

#include "analyzer/metrics/base/mean_of_steps.h"

namespace dltap::analyzer {
namespace {

std::array<double, 2> Welch(const StepsMean& base, const StepsMean& now) {
  const double sum = base.variance + now.variance;
  const double change = now.mean - base.mean;
  if (sum == 0) return {change, change};
  const double degrees = sum * sum /
                         (base.variance * base.variance / base.degrees +
                          now.variance * now.variance / now.degrees);
  const double off = StudentQuantile(degrees) * std::sqrt(sum);
  return {change - off, change + off};
}

}  // namespace

std::optional<double> Change::margin() const {
  if (!interval) return std::nullopt;
  return ((*interval)[1] - (*interval)[0]) / 2;
}

Change ChangeOf(const Measured& base, const Measured& now) {
  Change out;
  out.base = base.value;
  out.now = now.value;
  if (!base.value || !now.value) return out;
  out.change = *now.value - *base.value;
  if (*base.value != 0) out.relative = *out.change / std::abs(*base.value);
  if (base.samples.size() < 2 || now.samples.size() < 2) return out;
  const StepsMean b = MeanOfSteps(base.samples);
  const StepsMean n = MeanOfSteps(now.samples);
  std::array<double, 2> interval = Welch(b, n);
  // Devices that several processes share have fewer windows than steps.
  const double shift = *out.change - (n.mean - b.mean);
  for (double& end : interval) end += shift;
  out.interval = interval;
  return out;
}

}  // namespace dltap::analyzer
