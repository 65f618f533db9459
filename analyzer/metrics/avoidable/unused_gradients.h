// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_UNUSED_GRADIENTS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_UNUSED_GRADIENTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace dltap::analyzer {

// Gradients of weights that the update behind their backward pass is too short
// to have read: layers that are not trained. METRICS.md "Avoidable work",
// unused_gradients.
class UnusedGradients {
 public:
  struct Memory {
    double bytes_per_ns = 0;  // 0: unknown, and nothing is told
    double cache_bytes = 0;
  };
  explicit UnusedGradients(const Memory& memory) : memory_(memory) {}

  struct Product {
    double elements;  // of the weights
    double bytes;     // of an element
    double ns;
    bool is_new;
  };
  struct Sums {
    uint64_t count = 0;   // products of all weights' gradients
    double ns = 0;        // of them
    double least_ns = 0;  // of that, at least for nothing
  };

  // Products and updates of a device in time.
  void AddForward(uint64_t weights, double elements);
  bool IsWeight(uint64_t address) const { return weights_.contains(address); }
  void AddDataGradient() { in_backward_ = true; }
  void AddWeightGradient(const Product& product);
  void AddUpdate(double ns, bool is_adam);
  // Somebody else may use them: another rank, the host.
  void AddOtherUse() { has_other_use_ = true; }
  // What the passes showed whose update has ended.
  Sums Take();

 private:
  struct OfSize {
    std::set<uint64_t> weights;
    uint64_t gradients = 0;
    uint64_t new_gradients = 0;
    double bytes = 0;  // of an element
    double ns = 0;

    double used() const;  // gradients of different weights
  };
  double Updated(double gradient_bytes) const;
  double LeastNs() const;

  Memory memory_;
  std::map<double, OfSize> of_size_;  // by elements
  std::set<uint64_t> weights_;
  size_t passes_ = 0;
  bool in_backward_ = false;
  bool has_other_use_ = false;
  bool is_adam_ = false;
  double update_ns_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_UNUSED_GRADIENTS_H_
