// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/pointwise_chain.h"

#include <algorithm>

namespace dltap::analyzer {

void PointwiseChain::Add(TextId name, double ns, bool is_new) {
  auto of_name =
      std::ranges::find(kernels_of_, name, &std::pair<TextId, size_t>::first);
  if (of_name == kernels_of_.end()) {
    of_name = kernels_of_.insert(of_name, {name, 0});
  }
  most_ = std::max(most_, ++of_name->second);
  ++kernels_;
  count_ += pending_.count + (is_new ? 1 : 0);
  ns_ += pending_.ns + ns;
  casts_ns_ += pending_.ns;
  longest_ns_ = std::max(longest_ns_, ns);
  pending_ = {};
}

void PointwiseChain::AddCast(double ns, bool is_new) {
  if (kernels_ == 0) return;
  pending_.count += is_new ? 1 : 0;
  pending_.ns += ns;
}

double PointwiseChain::worst_ns() const {
  constexpr double kShortKernelNs = 5000;
  return casts_ns_ +
         static_cast<double>(most_ + 1) * std::max(kShortKernelNs, longest_ns_);
}

}  // namespace dltap::analyzer
