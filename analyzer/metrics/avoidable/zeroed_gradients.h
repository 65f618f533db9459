// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_ZEROED_GRADIENTS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_ZEROED_GRADIENTS_H_

#include <cstdint>
#include <map>
#include <vector>

namespace dltap::analyzer {

// Gradients that are filled with zeros before a backward pass, which then adds
// to each of them where it could have written it. METRICS.md "Avoidable work",
// zeroed_gradients.
class ZeroedGradients {
 public:
  struct Sums {
    uint64_t count = 0;  // tensors, or kernels over lists of them
    double zeros_ns = 0;
    double additions_ns = 0;
  };

  // Before the backward pass: kernels in time. `bytes` is what a fill writes.
  void AddZeros(double bytes, double ns, bool is_new);
  void AddZeroedList(double ns, bool is_new);
  void AddOther() { EndRow(); }
  // In it: an addition of two tensors of so many bytes.
  void AddSum(double bytes, double ns);
  // What the backward pass showed that has ended. What it did not add to is
  // forgotten.
  Sums Take();

 private:
  struct Fill {
    double bytes;
    double ns;
    bool is_new;
  };
  struct Tensors {
    uint64_t fills = 0;
    uint64_t new_fills = 0;
    double fills_ns = 0;
    uint64_t additions = 0;
    double additions_ns = 0;
  };
  void EndRow();

  std::vector<Fill> row_;  // nothing lies between them
  std::map<int64_t, Tensors> of_size_;
  uint64_t new_lists_ = 0;
  double lists_ns_ = 0;
  double other_additions_ns_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_ZEROED_GRADIENTS_H_
