// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_SHARED_EXPERTS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_SHARED_EXPERTS_H_

#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace dltap::analyzer {

// Small networks of one form with one input, one after the other: experts of
// which a gate takes the mean, or heads. METRICS.md "Avoidable work",
// shared_experts.
class SharedExperts {
 public:
  struct Times {
    double ns;
    double best_ns;   // of all at once, at best
    double worst_ns;  // and at worst
    bool is_new;
  };
  struct Product {
    std::array<int64_t, 3> sizes;  // m, n, k
    uint64_t input;
    uint64_t weights;
    Times times;
  };
  struct Sums {
    uint64_t count = 0;  // kernels
    double ns = 0;
    double best_ns = 0;
    double worst_ns = 0;
  };

  // All kernels of a device in time.
  void AddProduct(const Product& product);
  void AddOther(const Times& times, bool is_norm);
  void AddBackwardProduct(const Product& product);
  // Those since it was asked.
  Sums Take();

 private:
  struct Expert {
    std::vector<Product> products;
    Sums sums;
  };
  bool IsLike(const Expert& expert) const;
  void EndExpert();
  void EndRow();

  Expert expert_;
  std::vector<Expert> row_;
  // Of rows whose gradients have yet to be seen: without them nobody keeps what
  // layers one after the other make, and their inputs take turns in memory.
  Sums waiting_;
  std::set<std::array<int64_t, 3>> sizes_;  // in order; of rows
  Sums sums_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_SHARED_EXPERTS_H_
