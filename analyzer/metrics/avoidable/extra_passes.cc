// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/extra_passes.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastProducts = 3;  // of a pass
// More of them are no habit but the program's purpose: rollouts.
constexpr size_t kMostPasses = 4;
constexpr size_t kMostKernels = size_t{1} << 18;

}  // namespace

ExtraPasses::Sums ExtraPasses::Add(const Kernel& kernel) {
  Sums sums;
  if (in_backward_) sums = Finish();
  if (kernel.product != 0) products_.push_back(kernels_.size());
  if (!products_.empty()) kernels_.push_back(kernel);
  if (kernels_.size() >= kMostKernels) {
    products_.clear();
    kernels_.clear();
  }
  return sums;
}

void ExtraPasses::AddBackward(const Kernel& kernel) {
  in_backward_ = true;
  backward_products_ += kernel.product != 0 ? 1 : 0;
}

// How many passes lie before the last `trained` products; 0: something else.
size_t ExtraPasses::Repeats(size_t trained) const {
  if (trained < kLeastProducts || products_.size() <= trained) return 0;
  const size_t extra = products_.size() - trained;
  if (extra % trained != 0 || extra / trained > kMostPasses) return 0;
  for (size_t i = 0; i < extra; ++i) {
    const size_t same = extra + i % trained;
    if (kernels_[products_[i]].product != kernels_[products_[same]].product) {
      return 0;
    }
  }
  return extra / trained;
}

// Each product has two backward; the first layer's input needs no gradient.
ExtraPasses::Sums ExtraPasses::Finish() {
  const size_t trained = (backward_products_ + 1) / 2;
  Sums sums;
  const size_t passes = Repeats(trained);
  if (passes > 0) {
    const size_t first = products_[products_.size() - trained];
    sums.count = kernels_.front().is_new ? passes : 0;
    for (size_t i = 0; i < first; ++i) sums.ns += kernels_[i].ns;
  }
  products_.clear();
  kernels_.clear();
  backward_products_ = 0;
  in_backward_ = false;
  return sums;
}

}  // namespace dltap::analyzer
