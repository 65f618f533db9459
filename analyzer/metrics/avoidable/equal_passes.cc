// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/equal_passes.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

// Of a window without steps there may be any number: what is followed no
// further begins anew, with passes that no longer equal the others.
constexpr size_t kMostKernels = size_t{1} << 20;

// Of a gradient's element. Tied weights count once, so that this is the least.
constexpr double kLeastBytes = 2;

}  // namespace

void EqualPasses::AddForward(const Kernel& kernel) {
  constexpr uint64_t kPrime = 0x100000001b3;  // of FNV
  if (passes_.empty() || passes_.back().backward > 0) passes_.emplace_back();
  Pass& pass = passes_.back();
  pass.names = (pass.names ^ (uint64_t{kernel.name.value()} + 1)) * kPrime;
  ++pass.forward;
  const bool is_weight = passes_.size() == 1 && kernel.weights.elements > 0;
  if (is_weight && (kernel.weights.address == 0 ||
                    weights_.insert(kernel.weights.address).second)) {
    weight_elements_ += kernel.weights.elements;
  }
  Add(kernel);
}

void EqualPasses::AddBackward(const Kernel& kernel) {
  if (passes_.empty()) return;
  ++passes_.back().backward;
  Add(kernel);
}

void EqualPasses::AddAllReduce(double bytes, double ns, bool is_new) {
  if (passes_.empty()) return;
  Pass& pass = passes_.back();
  ++(pass.backward > 0 ? pass.sent : pass.sent_forward);
  pass.new_sent += is_new ? 1 : 0;
  pass.sent_bytes += bytes;
  pass.sent_ns += ns;
}

void EqualPasses::Add(const Kernel& kernel) {
  passes_.back().ns += kernel.ns;
  passes_.back().is_new |= kernel.is_new;
  kernels_.push_back(kernel);
  if (kernels_.size() >= kMostKernels) Clear();
}

void EqualPasses::Clear() {
  passes_.clear();
  kernels_.clear();
  weights_.clear();
  weight_elements_ = 0;
}

// Gradients are added up from the second pass on: models that are trained side
// by side do not do that.
bool EqualPasses::ArePartsOfABatch() const {
  if (passes_.size() < 2 || passes_.front().forward < kLeastKernels) {
    return false;
  }
  const Pass& first = passes_[0];
  const Pass& second = passes_[1];
  return second.backward > first.backward && first.backward > 0 &&
         std::all_of(passes_.begin() + 1, passes_.end(), [&](const Pass& p) {
           return p.names == first.names && p.forward == first.forward &&
                  p.backward == second.backward;
         });
}

// What is sent forward, as parts of tensors are, or is less than the gradients,
// as statistics of a batch are, each pass needs.
bool EqualPasses::SendTheirGradients() const {
  return weight_elements_ > 0 &&
         std::ranges::all_of(passes_, [&](const Pass& pass) {
           return pass.sent > 0 && pass.sent == passes_.front().sent &&
                  pass.sent_forward == 0 &&
                  pass.sent_bytes >= kLeastBytes * weight_elements_;
         });
}

std::optional<EqualPasses::Sums> EqualPasses::Take() {
  std::optional<Sums> sums;
  if (ArePartsOfABatch()) {
    sums.emplace();
    sums->first_ns = passes_.front().ns;
    const auto parts = static_cast<double>(passes_.size());
    for (const Pass& pass : passes_) sums->passes += pass.is_new ? 1 : 0;
    for (const Kernel& kernel : kernels_) {
      sums->ns += kernel.ns;
      sums->merged_ns += std::min(
          kernel.ns, kernel.ns / parts + kernel.work_ns.value_or(kernel.ns));
    }
  }
  if (sums && SendTheirGradients()) {
    sums->sends.last_ns = passes_.back().sent_ns;
    for (const Pass& pass : passes_) {
      sums->sends.count += pass.new_sent;
      sums->sends.ns += pass.sent_ns;
    }
  }
  Clear();
  return sums;
}

}  // namespace dltap::analyzer
