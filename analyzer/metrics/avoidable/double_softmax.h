// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_DOUBLE_SOFTMAX_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_DOUBLE_SOFTMAX_H_

#include <cstdint>

namespace dltap::analyzer {

// A softmax whose result goes into a loss that takes the softmax itself, and
// its gradient. METRICS.md "Avoidable work", double_softmax.
class DoubleSoftmax {
 public:
  enum class Kernel : uint8_t {
    kSoftmax,
    kLogSoftmax,
    kLoss,  // of classes, by index
    kCast,
    kSum,
    kMultiplication,
    kOther
  };
  struct Sums {
    uint64_t count = 0;  // softmaxes and their gradients
    double ns = 0;
    uint64_t rows = 0;  // at least; of the first one
  };

  // All kernels of a device in time, with their numbers of blocks.
  void AddForward(Kernel kernel, double ns, bool is_new, uint64_t blocks);
  // What the kernel before it turns out to have been.
  Sums AddBackward(Kernel kernel, double ns, bool is_new, uint64_t blocks);

 private:
  enum class Stage : uint8_t { kNone, kFirst, kSecond, kThird };
  bool IsOfRows(uint64_t blocks) const;

  Stage stage_ = Stage::kNone;  // of the row of kernels; see the code
  bool is_backward_ = false;    // this row
  Sums forward_;                // the first softmax of the last row
  Sums open_;                   // of losses that have such a softmax
  Sums backward_;               // its gradient
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_DOUBLE_SOFTMAX_H_
