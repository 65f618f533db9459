// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/repeated_tokens.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

// By as many each time: batches of sentences vary, and may grow, too.
constexpr int kLeastTimes = 3;
constexpr double kShortKernelNs = 5000;
constexpr double kWorstBandwidthShare = 0.6;

}  // namespace

void RepeatedTokens::AddProduct(const Product& product) {
  Rows& rows = of_weights_[product.weights];
  const int64_t growth = product.rows - rows.count;
  rows.times = growth == rows.growth ? rows.times + 1 : 1;
  rows.growth = growth;
  rows.count = product.rows;
  if (growth <= 0 || growth == product.rows || rows.times < kLeastTimes) return;
  const double rows_ns = product.ns * static_cast<double>(growth) /
                         static_cast<double>(product.rows);
  sums_.count += product.is_new ? 1 : 0;
  sums_.ns += product.ns;
  sums_.best_ns += std::min(product.ns, std::max(rows_ns, product.weights_ns));
  sums_.worst_ns += std::min(
      product.ns, std::max({rows_ns, kShortKernelNs,
                            product.weights_ns / kWorstBandwidthShare}));
}

RepeatedTokens::Sums RepeatedTokens::Take() {
  const Sums sums = std::exchange(sums_, {});
  if (!std::exchange(is_trained_, false)) return sums;
  of_weights_.clear();
  return {};
}

}  // namespace dltap::analyzer
