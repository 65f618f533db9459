// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_EXTRA_PASSES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_EXTRA_PASSES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dltap::analyzer {

// Passes forward over the layers that a step trains, which no backward pass
// follows: a validation, or a metric that runs the model once more. METRICS.md
// "Avoidable work", extra_passes.
class ExtraPasses {
 public:
  struct Kernel {
    uint64_t product = 0;  // which weights it multiplies with; 0: no product
    double ns = 0;
    bool is_new = false;
  };
  struct Sums {
    uint64_t count = 0;  // passes
    double ns = 0;
  };

  // All kernels of a device in time: those of backward passes, and the others.
  // What the passes before the last backward one showed, once that is over.
  Sums Add(const Kernel& kernel);
  void AddBackward(const Kernel& kernel);

 private:
  Sums Finish();
  size_t Repeats(size_t trained) const;

  std::vector<size_t> products_;  // into `kernels_`
  std::vector<Kernel> kernels_;   // from the first product on
  size_t backward_products_ = 0;
  bool in_backward_ = false;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_EXTRA_PASSES_H_
