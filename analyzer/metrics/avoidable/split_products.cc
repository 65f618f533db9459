// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/split_products.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastProducts = 8;  // queries, keys and values are three
constexpr double kShortKernelNs = 5000;

}  // namespace

// Layers after one another, of which nothing is kept, have their inputs in the
// same memory, too, and their outputs.
void SplitProducts::AddForward(const Product& product) {
  after_gradient_ = false;
  const bool is_next_layer = !row_.empty() && product.output != 0 &&
                             row_.back().output == product.output;
  const bool joins = !row_.empty() && !is_next_layer &&
                     row_.front().input == product.input &&
                     row_.front().sizes == product.sizes &&
                     std::ranges::none_of(row_, [&](const Product& other) {
                       return other.weights == product.weights;
                     });
  if (!joins) EndRow();
  row_.push_back(product);
}

void SplitProducts::AddGradient(const Product& product) {
  EndRow();
  after_gradient_ = weights_.contains(product.weights);
  if (after_gradient_) Count(product);
}

void SplitProducts::AddSum(double ns) {
  if (std::exchange(after_gradient_, false)) sums_.ns += ns;
}

void SplitProducts::Count(const Product& product) {
  sums_.count += product.is_new ? 1 : 0;
  sums_.ns += product.ns;
  sums_.best_ns += std::min(product.best_ns, product.ns);
  sums_.worst_ns += std::min(product.worst_ns, product.ns);
}

void SplitProducts::EndRow() {
  if (row_.size() >= kLeastProducts) {
    sums_.worst_ns += kShortKernelNs;
    for (const Product& product : row_) {
      Count(product);
      weights_.insert(product.weights);
    }
  }
  row_.clear();
}

SplitProducts::Sums SplitProducts::Take() {
  EndRow();
  Sums sums = std::exchange(sums_, {});
  sums.worst_ns = std::min(sums.worst_ns, sums.ns);
  return sums;
}

}  // namespace dltap::analyzer
