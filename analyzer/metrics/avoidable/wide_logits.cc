// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/wide_logits.h"

namespace dltap::analyzer {

WideLogits::Sums WideLogits::Add(Kernel kernel, double ns, bool is_new) {
  Sums sums;
  if (kernel == Kernel::kSoftmax) {
    casts_logits_ = last_.kernel == Kernel::kCast && last_.after_product;
    if (casts_logits_) {
      sums = {.count = last_.is_new ? 1U : 0U,
              .casts_ns = last_.ns,
              .softmax_ns = ns};
    }
  } else if (kernel == Kernel::kCast && casts_logits_ &&
             last_.kernel == Kernel::kSoftmaxGradient) {
    sums = {.count = is_new ? 1U : 0U, .casts_ns = ns, .softmax_ns = last_.ns};
  }
  last_ = {kernel, last_.kernel == Kernel::kProduct, ns, is_new};
  return sums;
}

}  // namespace dltap::analyzer
