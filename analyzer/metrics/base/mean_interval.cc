// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/mean_interval.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "analyzer/metrics/base/block_bootstrap.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kFewest = 10;
constexpr uint64_t kSeed = 20'261'122;

BlockSums BlocksOf(const std::vector<int64_t>& values) {
  const double length = std::cbrt(static_cast<double>(values.size()));
  return {{values.begin(), values.end()},
          static_cast<size_t>(std::lround(length))};
}

}  // namespace

std::optional<std::array<double, 2>> MeanInterval(
    const std::vector<std::vector<int64_t>>& series) {
  size_t n = 0;
  std::vector<BlockSums> blocks;
  for (const std::vector<int64_t>& values : series) {
    if (values.empty()) continue;
    n += values.size();
    blocks.push_back(BlocksOf(values));
  }
  if (n < kFewest) return std::nullopt;
  std::mt19937_64 random(kSeed);
  std::vector<double> means;
  for (size_t i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (const BlockSums& of_series : blocks) sum += of_series.Resample(random);
    means.push_back(sum / static_cast<double>(n));
  }
  std::sort(means.begin(), means.end());
  return std::array<double, 2>{means[kLowResample], means[kHighResample]};
}

}  // namespace dltap::analyzer
