// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/change.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dltap::analyzer {
namespace {

// However alike: the variance is that of all values.
constexpr double kLeastDegrees = 2;

// What a series tells of the mean of all such values.
struct MeanOf {
  double mean = 0;
  double variance = 0;  // of the mean
  double degrees = 1;   // of freedom, of the variance
};

// How many independent values tell as much about the mean: of a first-order
// autoregressive series, whose lag-1 autocorrelation comes out too low by
// (1 + 4 r) / n in a sample. Neighbours that differ the more count as
// independent. Two at least: of fewer, no variance is known.
double IndependentOf(const std::vector<double>& off, double squares) {
  const auto n = static_cast<double>(off.size());
  double products = 0;
  for (size_t i = 1; i < off.size(); ++i) products += off[i] * off[i - 1];
  const double lag1 = products / squares;
  const double r = std::clamp(lag1 + (1 + 4 * lag1) / n, 0.0, 1 - 1 / n);
  return std::max(2.0, n * (1 - r) / (1 + r));
}

MeanOf MeanOfSteps(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  MeanOf out;
  for (const double value : values) out.mean += value / n;
  std::vector<double> off;
  double squares = 0;
  for (const double value : values) {
    off.push_back(value - out.mean);
    squares += off.back() * off.back();
  }
  if (squares == 0) return {out.mean, 0, n - 1};
  const double independent = IndependentOf(off, squares);
  out.variance = squares / n / (independent - 1);
  out.degrees = std::min(n - 1, std::max(kLeastDegrees, independent - 1));
  return out;
}

std::array<double, 2> Welch(const MeanOf& base, const MeanOf& now) {
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

double StudentQuantile(double degrees) {
  constexpr double kTable[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706};
  const double at = std::max(degrees, 1.0);
  const auto below = static_cast<size_t>(at);
  if (below < std::size(kTable)) {
    // Nearly straight over 1 / degrees.
    const double from = 1 / static_cast<double>(below);
    const double to = 1 / static_cast<double>(below + 1);
    const double part = (from - 1 / at) / (from - to);
    return kTable[below - 1] + part * (kTable[below] - kTable[below - 1]);
  }
  // Cornish and Fisher's expansion around the normal distribution.
  const double z = 1.959964;
  const double z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;
  const double third =
      z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
  return z + first / at + second / (at * at) + third / (at * at * at);
}

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
  const MeanOf b = MeanOfSteps(base.samples);
  const MeanOf n = MeanOfSteps(now.samples);
  std::array<double, 2> interval = Welch(b, n);
  // Devices that several processes share have fewer windows than steps.
  const double shift = *out.change - (n.mean - b.mean);
  for (double& end : interval) end += shift;
  out.interval = interval;
  return out;
}

}  // namespace dltap::analyzer
