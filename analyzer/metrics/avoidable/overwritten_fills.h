// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_OVERWRITTEN_FILLS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_OVERWRITTEN_FILLS_H_

#include <cstdint>

namespace dltap::analyzer {

// Results that are filled before a norm writes all of them, as PyTorch's
// deterministic mode does with all memory that it takes. METRICS.md "Avoidable
// work", overwritten_fills.
class OverwrittenFills {
 public:
  struct Sums {
    uint64_t count = 0;  // fills
    double ns = 0;
    double sure_ns = 0;  // of these, which a norm overwrites
  };

  // All kernels of a device in time, but for those of updates.
  void AddFill(double ns, bool is_new);
  void AddNorm(double ns);  // forward
  void AddOther();
  // What the window showed.
  Sums Take();

 private:
  Sums sums_;
  double row_ns_ = 0;  // of fills right before this
  int fills_ = 0;      // as many
  bool in_norm_ = false;
  uint64_t norms_ = 0;
  uint64_t filled_ = 0;  // of these
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_OVERWRITTEN_FILLS_H_
