// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/equal_passes.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

// Of a window without steps there may be any number: what is followed no
// further begins anew, with passes that no longer equal the others.
constexpr size_t kMostKernels = size_t{1} << 20;

}  // namespace

void EqualPasses::AddForward(const Kernel& kernel) {
  constexpr uint64_t kPrime = 0x100000001b3;  // of FNV
  if (passes_.empty() || passes_.back().backward > 0) passes_.emplace_back();
  Pass& pass = passes_.back();
  pass.names = (pass.names ^ (uint64_t{kernel.name.value()} + 1)) * kPrime;
  ++pass.forward;
  Add(kernel);
}

void EqualPasses::AddBackward(const Kernel& kernel) {
  if (passes_.empty()) return;
  ++passes_.back().backward;
  Add(kernel);
}

void EqualPasses::Add(const Kernel& kernel) {
  passes_.back().ns += kernel.ns;
  passes_.back().is_new |= kernel.is_new;
  kernels_.push_back(kernel);
  if (kernels_.size() < kMostKernels) return;
  passes_.clear();
  kernels_.clear();
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
  passes_.clear();
  kernels_.clear();
  return sums;
}

}  // namespace dltap::analyzer
