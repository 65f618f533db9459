// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/double_softmax.h"

#include <utility>

namespace dltap::analyzer {
namespace {

// Threads of a block have this many elements together, at least.
constexpr uint64_t kLeastOfBlock = 256;

}  // namespace

// Whether a kernel can have no more than a number for each row of the softmax,
// as what scales the loss of each, or of all.
bool DoubleSoftmax::IsOfRows(uint64_t blocks) const {
  return blocks <= 1 || blocks * kLeastOfBlock <= open_.rows;
}

// Softmax, logarithm of a softmax, loss.
void DoubleSoftmax::AddForward(Kernel kernel, double ns, bool is_new,
                               uint64_t blocks) {
  if (std::exchange(is_backward_, false)) {
    stage_ = Stage::kNone;
    open_ = {};
  }
  if (kernel == Kernel::kCast) return;
  if (kernel == Kernel::kSoftmax) {
    forward_ = {.count = is_new ? 1U : 0U, .ns = ns, .rows = blocks};
    stage_ = Stage::kFirst;
  } else if (kernel == Kernel::kLogSoftmax && stage_ == Stage::kFirst) {
    stage_ = Stage::kSecond;
  } else {
    if (kernel == Kernel::kLoss && stage_ == Stage::kSecond) open_ = forward_;
    stage_ = Stage::kNone;
  }
}

// The same row from its end. A sum behind it is of gradients: the first softmax
// goes into something else, too. So it may with gradients before it: of another
// head's softmax, whose loss stands behind this one forward.
DoubleSoftmax::Sums DoubleSoftmax::AddBackward(Kernel kernel, double ns,
                                               bool is_new, uint64_t blocks) {
  if (!std::exchange(is_backward_, true)) stage_ = Stage::kNone;
  if (kernel == Kernel::kCast) return {};
  const Stage before = std::exchange(stage_, Stage::kNone);
  if (before == Stage::kThird && kernel != Kernel::kSum) {
    const Sums forward = std::exchange(open_, {});
    return {.count = forward.count + backward_.count,
            .ns = forward.ns + backward_.ns};
  }
  if (open_.ns <= 0) return {};
  if (kernel == Kernel::kLoss) {
    stage_ = Stage::kFirst;
  } else if (kernel == Kernel::kSum && before == Stage::kFirst) {
    stage_ = Stage::kFirst;  // with what smooths the labels
  } else if (kernel == Kernel::kLogSoftmax && before == Stage::kFirst) {
    stage_ = Stage::kSecond;
    backward_ = {};
  } else if (kernel == Kernel::kMultiplication && before == Stage::kSecond) {
    stage_ = Stage::kSecond;  // by what the softmax made
    backward_.ns += ns;
  } else if (kernel == Kernel::kSoftmax && before == Stage::kSecond) {
    stage_ = Stage::kThird;
    backward_.count = is_new ? 1 : 0;
    backward_.ns += ns;
  } else if (!IsOfRows(blocks)) {
    open_ = {};
  }
  return {};
}

}  // namespace dltap::analyzer
