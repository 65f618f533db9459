// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/weight_penalties.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr uint64_t kLeastTensors = 16;
constexpr size_t kLeastSizes = 3;     // of weights; losses are of one
constexpr uint64_t kMostKernels = 4;  // of a tensor

void Count(const WeightPenalties::Kernel& kernel, WeightPenalties::Sums& sums) {
  sums.count += kernel.is_new ? 1 : 0;
  sums.ns += kernel.ns;
}

}  // namespace

// A tensor's kernels end with its reduction, and the sum of what that made.
void WeightPenalties::AddForward(const Kernel& kernel) {
  has_penalty_ = false;
  const bool is_number = kernel.use == Use::kSum && kernel.blocks <= 1;
  if (kernels_ == kMostKernels) EndRow();
  ++kernels_;
  Count(kernel, tensor_);
  blocks_ = std::max(blocks_, kernel.blocks);
  if (is_number && is_reduced_) EndTensor();
  is_reduced_ = kernel.use == Use::kReduction;
}

void WeightPenalties::EndTensor() {
  row_.count += tensor_.count;
  row_.ns += tensor_.ns;
  sizes_.insert(blocks_);
  ++tensors_;
  tensor_ = {};
  kernels_ = 0;
  blocks_ = 0;
}

// Gradients of penalties come before all others.
void WeightPenalties::AddBackward(const Kernel& kernel) {
  EndRow();
  if (has_penalty_) Count(kernel, sums_);
}

void WeightPenalties::AddOther(bool is_backward) {
  EndRow();
  if (is_backward) has_penalty_ = false;
}

void WeightPenalties::EndRow() {
  if (tensors_ >= kLeastTensors && sizes_.size() >= kLeastSizes) {
    sums_.count += row_.count;
    sums_.ns += row_.ns;
    has_penalty_ = true;
  }
  row_ = {};
  tensors_ = 0;
  sizes_.clear();
  tensor_ = {};
  kernels_ = 0;
  blocks_ = 0;
  is_reduced_ = false;
}

WeightPenalties::Sums WeightPenalties::Take() {
  EndRow();
  has_penalty_ = false;
  return std::exchange(sums_, {});
}

}  // namespace dltap::analyzer
