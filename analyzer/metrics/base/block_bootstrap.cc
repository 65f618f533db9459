// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/block_bootstrap.h"

#include <algorithm>

namespace dltap::analyzer {

BlockSums::BlockSums(const std::vector<double>& values, size_t length)
    : n_(values.size()), length_(length) {
  sums_.push_back(0);
  for (size_t i = 0; i < 2 * n_; ++i) {
    sums_.push_back(sums_.back() + values[i % n_]);
  }
}

double BlockSums::Resample(std::mt19937_64& random) const {
  double sum = 0;
  for (size_t drawn = 0; drawn < n_; drawn += length_) {
    const size_t from = random() % n_;
    sum += sums_[from + std::min({length_, n_ - drawn, n_})] - sums_[from];
  }
  return sum;
}

}  // namespace dltap::analyzer
