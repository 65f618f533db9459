// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/mean_interval.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace dltap::analyzer {
namespace {

constexpr size_t kFewest = 10;
constexpr size_t kResamples = 2000;
constexpr size_t kLow = 49;     // of the sorted means: 2.5 % lie below
constexpr size_t kHigh = 1950;  // and 2.5 % above
constexpr uint64_t kSeed = 20'261'122;

// Sums of circular blocks of one series, without going through the values.
class Blocks {
 public:
  explicit Blocks(const std::vector<int64_t>& values)
      : n_(values.size()),
        length_(static_cast<size_t>(
            std::lround(std::cbrt(static_cast<double>(n_))))) {
    sums_.push_back(0);
    for (size_t i = 0; i < 2 * n_; ++i) {
      sums_.push_back(sums_.back() + static_cast<double>(values[i % n_]));
    }
  }

  // As many values as the series has, block by block from random places.
  double Resample(std::mt19937_64& random) const {
    double sum = 0;
    for (size_t drawn = 0; drawn < n_; drawn += length_) {
      const size_t from = random() % n_;
      sum += sums_[from + std::min(length_, n_ - drawn)] - sums_[from];
    }
    return sum;
  }

 private:
  size_t n_;
  size_t length_;
  std::vector<double> sums_;  // of the first values, the series twice
};

}  // namespace

std::optional<std::array<double, 2>> MeanInterval(
    const std::vector<std::vector<int64_t>>& series) {
  size_t n = 0;
  std::vector<Blocks> blocks;
  for (const std::vector<int64_t>& values : series) {
    if (values.empty()) continue;
    n += values.size();
    blocks.emplace_back(values);
  }
  if (n < kFewest) return std::nullopt;
  std::mt19937_64 random(kSeed);
  std::vector<double> means;
  for (size_t i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (const Blocks& of_series : blocks) sum += of_series.Resample(random);
    means.push_back(sum / static_cast<double>(n));
  }
  std::sort(means.begin(), means.end());
  return std::array<double, 2>{means[kLow], means[kHigh]};
}

}  // namespace dltap::analyzer
