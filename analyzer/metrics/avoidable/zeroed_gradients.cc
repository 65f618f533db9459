// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/zeroed_gradients.h"

#include <algorithm>
#include <cmath>

namespace dltap::analyzer {
namespace {

// Fewer in a row are tensors that a layer makes.
constexpr size_t kLeastRow = 8;
// An addition reads two tensors and writes one; a fill writes one.
constexpr double kLeastAddition = 1.5;
constexpr double kMostAddition = 4;

}  // namespace

void ZeroedGradients::AddZeros(double bytes, double ns, bool is_new) {
  row_.push_back({bytes, ns, is_new});
}

void ZeroedGradients::AddZeroedList(double ns, bool is_new) {
  EndRow();
  new_lists_ += is_new ? 1 : 0;
  lists_ns_ += ns;
}

void ZeroedGradients::EndRow() {
  for (const Fill& fill : row_) {
    if (row_.size() < kLeastRow) break;
    Tensors& tensors = of_size_[std::llround(fill.bytes)];
    ++tensors.fills;
    tensors.new_fills += fill.is_new ? 1 : 0;
    tensors.fills_ns += fill.ns;
  }
  row_.clear();
}

void ZeroedGradients::AddSum(double bytes, double ns) {
  EndRow();
  const auto found = of_size_.find(std::llround(bytes));
  if (found == of_size_.end() ||
      found->second.additions == found->second.fills) {
    other_additions_ns_ += ns;
    return;
  }
  ++found->second.additions;
  found->second.additions_ns += ns;
}

// All zeros of a size were added to, or they are no gradients. Lists do not
// tell sizes: what is added must be as much as they are.
ZeroedGradients::Sums ZeroedGradients::Take() {
  Sums sums;
  for (const auto& [bytes, tensors] : of_size_) {
    if (tensors.additions < tensors.fills) continue;
    sums.count += tensors.new_fills;
    sums.zeros_ns += tensors.fills_ns;
    sums.additions_ns += tensors.additions_ns;
  }
  if (other_additions_ns_ >= kLeastAddition * lists_ns_) {
    sums.count += new_lists_;
    sums.zeros_ns += lists_ns_;
    sums.additions_ns +=
        std::min(other_additions_ns_, kMostAddition * lists_ns_);
  }
  *this = {};
  return sums;
}

}  // namespace dltap::analyzer
