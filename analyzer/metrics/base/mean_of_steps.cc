// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/mean_of_steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>

namespace dltap::analyzer {
namespace {

// However alike: the variance is that of all values.
constexpr double kLeastDegrees = 2;

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

}  // namespace

StepsMean MeanOfSteps(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  StepsMean out;
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
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

std::vector<std::vector<double>> Together(
    std::vector<std::vector<double>> series) {
  for (const std::vector<double>& values : series) {
    if (values.size() != series.front().size()) return series;
  }
  if (series.size() < 2) return series;
  std::vector<double> means(series.front().size());
  for (const std::vector<double>& values : series) {
    for (size_t i = 0; i < values.size(); ++i) {
      means[i] += values[i] / static_cast<double>(series.size());
    }
  }
  return {means};
}

double StudentQuantile(double degrees) {
  // Its logarithm as a polynomial of 1 / degrees, lowest power first: fitted to
  // SciPy's t.ppf(0.975, degrees), off by 0.002 % at most.
  constexpr double kLog[] = {0.672931, 1.210144,  0.707649,
                             0.168238, -0.318342, 0.101483};
  const double x = 1 / std::max(degrees, 1.0);
  double log = 0;
  for (size_t i = std::size(kLog); i > 0; --i) log = log * x + kLog[i - 1];
  return std::exp(log);
}

}  // namespace dltap::analyzer
