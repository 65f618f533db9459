// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/sliced_gradients.h"

#include <algorithm>
#include <cmath>

namespace dltap::analyzer {
namespace {

// Of a tensor. Fewer are no loop: attention takes queries, keys and values out
// of one.
constexpr double kLeastSlices = 6;

}  // namespace

void SlicedGradients::AddFill(double bytes, double ns) {
  Tensors& tensors = of_size_[std::llround(bytes)];
  ++tensors.fills;
  tensors.pending_ns += ns;
}

// One sum for each fill: what is added without one is another gradient.
void SlicedGradients::AddSum(double bytes, double ns, bool is_new) {
  const auto found = of_size_.find(std::llround(bytes));
  if (found == of_size_.end() || found->second.pending_ns <= 0) return;
  Tensors& tensors = found->second;
  ++tensors.sums;
  tensors.new_sums += is_new ? 1 : 0;
  tensors.ns += tensors.pending_ns + ns;
  tensors.longest_sum_ns = std::max(tensors.longest_sum_ns, ns);
  tensors.pending_ns = 0;
}

// The first slice of a tensor has nothing to add to.
SlicedGradients::Sums SlicedGradients::Take() {
  Sums sums;
  for (const auto& [bytes, tensors] : of_size_) {
    const auto slices = static_cast<double>(tensors.fills);
    const auto wholes = static_cast<double>(
        std::max<uint64_t>(1, tensors.fills - tensors.sums));
    if (tensors.sums == 0 || slices < kLeastSlices * wholes) continue;
    sums.count += tensors.new_sums;
    sums.ns += tensors.ns;
    // Joined, each whole is written and read once.
    sums.worst_ns += tensors.longest_sum_ns * wholes;
  }
  of_size_.clear();
  return sums;
}

}  // namespace dltap::analyzer
