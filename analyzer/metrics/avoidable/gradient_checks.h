// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_GRADIENT_CHECKS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_GRADIENT_CHECKS_H_

#include <cstdint>

namespace dltap::analyzer {

// Gradients that are looked through for NaN in the middle of a backward pass: a
// comparison of all elements, and whether any of them holds. METRICS.md
// "Avoidable work", gradient_checks.
class GradientChecks {
 public:
  enum class Kernel : uint8_t { kComparison, kAny, kOther };
  struct Sums {
    uint64_t count = 0;  // gradients
    double ns = 0;
  };

  // All kernels of backward passes in the device's order.
  Sums Add(Kernel kernel, double ns, bool is_new) {
    const double compared_ns = comparison_ns_;
    comparison_ns_ = kernel == Kernel::kComparison ? ns : 0;
    if (kernel != Kernel::kAny || compared_ns <= 0) return {};
    return {.count = is_new ? 1U : 0U, .ns = compared_ns + ns};
  }

 private:
  double comparison_ns_ = 0;  // of the last kernel; 0: it was none
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_GRADIENT_CHECKS_H_
