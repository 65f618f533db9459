// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_SPLIT_PRODUCTS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_SPLIT_PRODUCTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace dltap::analyzer {

// Products of one input with many matrices of one size, which one product with
// all of them could do. METRICS.md "Avoidable work", split_products.
class SplitProducts {
 public:
  struct Product {
    uint64_t input;
    uint64_t weights;
    uint64_t output;               // 0: not known
    std::array<int64_t, 3> sizes;  // m, n, k
    double ns;
    double best_ns;   // its share of one product at best
    double worst_ns;  // and at worst
    bool is_new;
  };
  struct Sums {
    uint64_t count = 0;  // products
    double ns = 0;       // with the sums of their gradients
    double best_ns = 0;
    double worst_ns = 0;
  };

  // Products of the forward pass in time, not batched.
  void AddForward(const Product& product);
  // Of the backward pass the same, that reads weights, or `input` is not.
  void AddGradient(const Product& product);
  // The sum right behind a gradient.
  void AddSum(double ns);
  void AddOther() { after_gradient_ = false; }
  // Those since it was asked.
  Sums Take();

 private:
  void EndRow();
  void Count(const Product& product);

  std::vector<Product> row_;
  absl::flat_hash_set<uint64_t> weights_;  // of rows that were counted
  bool after_gradient_ = false;
  Sums sums_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_SPLIT_PRODUCTS_H_
