// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_NORM_BIASES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_NORM_BIASES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "opmodel/operation.h"

namespace dltap::analyzer {

// Biases of convolutions that the norm right behind takes away again with the
// mean: an addition forward, a reduction backward. What has no such reduction
// is no bias, but of each sample or place. METRICS.md "Avoidable work",
// norm_biases.
class NormBiases {
 public:
  enum class Kernel : uint8_t {
    kConvolution,
    kBroadcast,  // adds one number to many elements
    kNorm,       // takes a batch's mean
    kReduction,
    kCount,  // of batches so far, or a fill: no work
    kOther
  };
  struct Sums {
    uint64_t count = 0;  // kernels
    double ns = 0;
    double reductions_ns = 0;  // of these, what may be of another bias
  };

  using Sizes = decltype(opmodel::Operation::dims);

  // All kernels of a device in time; `sizes`: of a convolution.
  void AddForward(Kernel kernel, const Sizes& sizes, double ns, bool is_new);
  // The addition and the reduction of a bias.
  Sums AddBackward(Kernel kernel, const Sizes& sizes, double ns, bool is_new);

 private:
  Kernel last_ = Kernel::kOther;
  Kernel last_backward_ = Kernel::kOther;
  double broadcast_ns_ = 0;  // after a convolution
  bool broadcast_is_new_ = false;
  Sizes sizes_{};  // of the last convolution
  // Additions whose reductions were not seen, by their convolutions.
  std::map<Sizes, std::vector<Sums>> open_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_NORM_BIASES_H_
