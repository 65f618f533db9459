// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_WIDE_LOGITS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_WIDE_LOGITS_H_

#include <cstdint>

namespace dltap::analyzer {

// Logits that are cast to FP32, as large as they are, before their softmax, and
// their gradients that are cast back after it. METRICS.md "Avoidable work",
// wide_logits.
class WideLogits {
 public:
  enum class Kernel : uint8_t {
    kProduct,
    kCast,
    kSoftmax,  // the logarithm of it, in FP32
    kSoftmaxGradient,
    kOther
  };
  struct Sums {
    uint64_t count = 0;  // casts
    double casts_ns = 0;
    double softmax_ns = 0;
  };

  // All kernels of a device in time.
  Sums Add(Kernel kernel, double ns, bool is_new);

 private:
  struct Last {
    Kernel kernel = Kernel::kOther;
    bool after_product = false;  // a cast: of what a product made
    double ns = 0;
    bool is_new = false;
  };
  Last last_;
  bool casts_logits_ = false;  // forward; their gradients, too, then
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_WIDE_LOGITS_H_
