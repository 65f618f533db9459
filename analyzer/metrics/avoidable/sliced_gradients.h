// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_SLICED_GRADIENTS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_SLICED_GRADIENTS_H_

#include <cstdint>
#include <map>

namespace dltap::analyzer {

// A tensor that a loop takes slices of (x[i]): backward, each slice fills a
// gradient of the whole with zeros, copies its own into it, and adds that to
// the sum. METRICS.md "Avoidable work", sliced_gradients.
class SlicedGradients {
 public:
  struct Sums {
    uint64_t count = 0;  // slices
    double ns = 0;
    double worst_ns = 0;  // of that, with all slices joined once
  };

  // Kernels of a backward pass, in time. `bytes` is what a fill writes, and a
  // third of what an addition of two tensors moves.
  void AddFill(double bytes, double ns);
  void AddSum(double bytes, double ns, bool is_new);
  // What the passes of a window showed.
  Sums Take();

 private:
  struct Tensors {
    uint64_t fills = 0;
    uint64_t sums = 0;
    uint64_t new_sums = 0;
    double pending_ns = 0;  // fills that nothing was added to yet
    double longest_sum_ns = 0;
    double ns = 0;
  };
  std::map<int64_t, Tensors> of_size_;  // by bytes
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_SLICED_GRADIENTS_H_
