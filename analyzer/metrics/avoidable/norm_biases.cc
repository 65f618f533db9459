// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/norm_biases.h"

#include <cstddef>
#include <utility>

namespace dltap::analyzer {
namespace {

// Of one size: passes forward may never go backward.
constexpr std::size_t kMostOpen = 1024;

}  // namespace

void NormBiases::AddForward(Kernel kernel, const Sizes& sizes, double ns,
                            bool is_new) {
  if (kernel == Kernel::kCount) return;
  if (last_backward_ != Kernel::kOther) open_.clear();
  last_backward_ = Kernel::kOther;
  const Kernel before = std::exchange(last_, kernel);
  if (kernel == Kernel::kConvolution) sizes_ = sizes;
  if (kernel == Kernel::kBroadcast) {
    broadcast_ns_ = before == Kernel::kConvolution ? ns : 0;
    broadcast_is_new_ = is_new;
    return;
  }
  if (kernel != Kernel::kNorm || before != Kernel::kBroadcast) return;
  if (broadcast_ns_ == 0) return;
  std::vector<Sums>& open = open_[sizes_];
  if (open.size() == kMostOpen) open.clear();
  open.push_back({.count = broadcast_is_new_ ? 1U : 0U, .ns = broadcast_ns_});
}

// Its gradient stands right behind those of the convolution.
NormBiases::Sums NormBiases::AddBackward(Kernel kernel, const Sizes& sizes,
                                         double ns, bool is_new) {
  last_ = Kernel::kOther;
  const Kernel before = std::exchange(last_backward_, kernel);
  if (kernel == Kernel::kConvolution) sizes_ = sizes;
  if (kernel != Kernel::kReduction || before != Kernel::kConvolution) return {};
  std::vector<Sums>& open = open_[sizes_];
  if (open.empty()) return {};
  Sums sums = open.back();
  open.pop_back();
  sums.count += is_new ? 1 : 0;
  sums.ns += ns;
  sums.reductions_ns = ns;
  return sums;
}

}  // namespace dltap::analyzer
