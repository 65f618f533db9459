// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/change.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>

#include "analyzer/metrics/block_bootstrap.h"

namespace dltap::analyzer {
namespace {

constexpr double kAlike = 0.3;  // lag-1 autocorrelation
constexpr size_t kBlock = 10;   // steps
constexpr size_t kMostBlocks = 500;

struct Moments {
  double mean = 0;
  double variance = 0;  // of the sample
  double lag1 = 0;      // autocorrelation
};

Moments MomentsOf(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Moments out;
  for (const double value : values) out.mean += value / n;
  double squares = 0;
  double products = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double off = values[i] - out.mean;
    squares += off * off;
    if (i > 0) products += off * (values[i - 1] - out.mean);
  }
  out.variance = squares / (n - 1);
  out.lag1 = squares > 0 ? products / squares : 0;
  return out;
}

// The same for the same values, and another one for others: else two like
// series would be drawn alike, and their difference look too certain.
uint64_t SeedOf(const std::vector<double>& values) {
  uint64_t seed = values.size();
  for (const double value : values) {
    seed = (seed ^ std::bit_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15;
  }
  return seed;
}

std::vector<double> ResampledMeans(const std::vector<double>& values) {
  const size_t length =
      std::max({size_t{1}, std::min(kBlock, values.size() / 2),
                values.size() / kMostBlocks});
  const BlockSums blocks(values, length);
  std::mt19937_64 random(SeedOf(values));
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    mean = blocks.Resample(random) / static_cast<double>(values.size());
  }
  return means;
}

std::array<double, 2> Bootstrap(const std::vector<double>& base,
                                const std::vector<double>& now) {
  std::vector<double> changes = ResampledMeans(now);
  const std::vector<double> base_means = ResampledMeans(base);
  for (size_t i = 0; i < changes.size(); ++i) changes[i] -= base_means[i];
  std::sort(changes.begin(), changes.end());
  return {changes[kLowResample], changes[kHighResample]};
}

std::array<double, 2> Welch(const Moments& base, size_t base_n,
                            const Moments& now, size_t now_n) {
  const double b = base.variance / static_cast<double>(base_n);
  const double n = now.variance / static_cast<double>(now_n);
  const double change = now.mean - base.mean;
  if (b + n == 0) return {change, change};
  const double degrees = (b + n) * (b + n) /
                         (b * b / static_cast<double>(base_n - 1) +
                          n * n / static_cast<double>(now_n - 1));
  const double off = StudentQuantile(degrees) * std::sqrt(b + n);
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
  const Moments b = MomentsOf(base.samples);
  const Moments n = MomentsOf(now.samples);
  const bool alike = b.lag1 > kAlike || n.lag1 > kAlike;
  std::array<double, 2> interval =
      alike ? Bootstrap(base.samples, now.samples)
            : Welch(b, base.samples.size(), n, now.samples.size());
  // Devices that several processes share have fewer windows than steps.
  const double shift = *out.change - (n.mean - b.mean);
  for (double& end : interval) end += shift;
  out.interval = interval;
  return out;
}

}  // namespace dltap::analyzer
