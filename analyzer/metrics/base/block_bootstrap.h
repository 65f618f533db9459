// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_BLOCK_BOOTSTRAP_H_
#define DLTAP_ANALYZER_METRICS_BASE_BLOCK_BOOTSTRAP_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace dltap::analyzer {

inline constexpr size_t kResamples = 2000;
// Of the sorted values of all resamples: 2.5 % lie below, and 2.5 % above.
inline constexpr size_t kLowResample = 49;
inline constexpr size_t kHighResample = 1950;

// Sums of circular blocks of one series, without going through the values.
// Neighbouring steps are alike: blocks keep what they have in common.
class BlockSums {
 public:
  BlockSums(const std::vector<double>& values, size_t length);

  // As many values as the series has, block by block from random places.
  double Resample(std::mt19937_64& random) const;

 private:
  size_t n_;
  size_t length_;
  std::vector<double> sums_;  // of the first values, the series twice
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_BLOCK_BOOTSTRAP_H_
