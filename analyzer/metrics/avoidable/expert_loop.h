// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_EXPERT_LOOP_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_EXPERT_LOOP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace dltap::analyzer {

// Experts one after the other: each gathers its rows, multiplies them with its
// matrices, and adds the result to the rows of all. METRICS.md "Avoidable
// work", expert_loop.
class ExpertLoop {
 public:
  struct Times {
    double ns;
    double best_ns;   // its share of one kernel for all experts, at best
    double worst_ns;  // and at worst
    bool is_new;
  };
  struct Product {
    std::array<int64_t, 3> sizes;  // m, n, k
    uint64_t weights;              // 0: not known
    Times times;
  };
  struct Sums {
    uint64_t count = 0;  // kernels
    double ns = 0;
    double best_ns = 0;
    double worst_ns = 0;
  };

  // All kernels of a device in time. Forward:
  void AddGather(const Times& times);
  void AddProduct(const Product& product);
  void AddSumOfRows(const Times& times);
  // `makes_rows`: fills or adds up, or is an activation or a norm.
  void AddOther(const Times& times, bool makes_rows);
  // And backward:
  void AddBackwardProduct(const Product& product);
  // Those since it was asked.
  Sums Take();

 private:
  struct Expert {
    std::vector<std::array<int64_t, 2>> matrices;  // m, k
    std::vector<uint64_t> weights;
    std::vector<std::array<int64_t, 3>> sizes;  // in order
    Sums sums;
    uint64_t kernels = 0;
  };
  void Count(const Times& times);
  void EndRow();

  Expert expert_;
  bool has_gathered_ = false;
  std::vector<Expert> row_;
  std::set<std::array<int64_t, 3>> sizes_;  // of rows that were counted
  Sums sums_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_EXPERT_LOOP_H_
