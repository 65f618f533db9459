// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/overwritten_fills.h"

#include <utility>

namespace dltap::analyzer {
namespace {

constexpr uint64_t kLeastNorms = 2;
// A norm takes memory for its result and for what it divides by, at least; one
// fill is of what somebody adds to later.
constexpr int kLeastFills = 2;
// The result is as large as what is read: weights of a channel each are not.
constexpr double kLeastOfNorm = 0.2;
constexpr double kMostOfAll = 0.8;

}  // namespace

void OverwrittenFills::AddFill(double ns, bool is_new) {
  sums_.count += is_new ? 1 : 0;
  sums_.ns += ns;
  row_ns_ += ns;
  ++fills_;
}

// The second kernel of a norm may have fills of its own before it, or none.
void OverwrittenFills::AddNorm(double ns) {
  const double row_ns = std::exchange(row_ns_, 0);
  const bool is_whole =
      std::exchange(fills_, 0) >= kLeastFills && row_ns >= kLeastOfNorm * ns;
  sums_.sure_ns += is_whole ? row_ns : 0;
  if (std::exchange(in_norm_, true)) return;
  ++norms_;
  filled_ += is_whole ? 1 : 0;
}

void OverwrittenFills::AddOther() {
  row_ns_ = 0;
  fills_ = 0;
  in_norm_ = false;
}

OverwrittenFills::Sums OverwrittenFills::Take() {
  const Sums sums = std::exchange(sums_, {});
  const auto norms = static_cast<double>(std::exchange(norms_, 0));
  const uint64_t filled = std::exchange(filled_, 0);
  AddOther();
  const bool are_most = static_cast<double>(filled) >= kMostOfAll * norms;
  return filled >= kLeastNorms && are_most ? sums : Sums{};
}

}  // namespace dltap::analyzer
