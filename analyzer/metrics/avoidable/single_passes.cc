// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/single_passes.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr uint64_t kLeastPasses = 8;
constexpr size_t kLeastKernels = 3;    // of a pass
constexpr size_t kMostKernels = 4096;  // a longer one is given up

}  // namespace

// Whether it begins where the input of the same weights has ended.
bool SinglePasses::Continues(const Input& input) {
  const auto [it, is_new] = last_.try_emplace(input.weights, input);
  const Input before = std::exchange(it->second, input);
  return !is_new && input.bytes == before.bytes &&
         input.address == before.address + before.bytes;
}

// Two products in a row, of neither one input nor one another, are added up: of
// a sample and of the state that the pass before made. The next sample's comes
// right behind the last one of a pass, too.
bool SinglePasses::IsJoin(const Input& input) const {
  return product_ && product_->output != 0 && input.output != 0 &&
         input.address != product_->address &&
         input.address != product_->output;
}

void SinglePasses::Add(const Kernel& kernel,
                       const std::optional<Input>& input) {
  const bool continues = input && Continues(*input);
  const bool is_join = input && !continues && IsJoin(*input);
  if (!kernel.goes_on) product_ = input;
  if (is_join) {
    EndRow();
    return;
  }
  if (continues) {
    if (anchor_ == 0) {
      EndRow();
      anchor_ = input->weights;
      samples_ = input->samples;
    } else if (anchor_ == input->weights) {
      EndPass();
    }
  } else if (input && input->weights == anchor_) {
    EndPass();
    EndRow();
  }
  if (anchor_ == 0) return;
  constexpr uint64_t kPrime = 0x100000001b3;  // of FNV
  pass_.names = (pass_.names ^ (uint64_t{kernel.name.value()} + 1)) * kPrime;
  pass_.kernels.push_back(kernel);
  if (pass_.kernels.size() > kMostKernels) EndRow();
}

void SinglePasses::EndPass() {
  Pass pass = std::exchange(pass_, {});
  if (pass.names != names_) {
    waiting_.clear();
    passes_ = 0;
    names_ = pass.names;
  }
  if (pass.kernels.size() < kLeastKernels) return;
  if (++passes_ > kLeastPasses) {
    Count(pass);
    return;
  }
  waiting_.push_back(std::move(pass));
  if (passes_ < kLeastPasses) return;
  for (const Pass& each : waiting_) Count(each);
  waiting_.clear();
}

// There are as many passes as were seen so far, at least.
void SinglePasses::Count(const Pass& pass) {
  const auto parts = static_cast<double>(passes_);
  sums_.count += pass.kernels.front().is_new ? 1 : 0;
  for (const Kernel& kernel : pass.kernels) {
    sums_.ns += kernel.ns;
    sums_.best_ns += kernel.ns / parts;
    sums_.worst_ns += std::min(
        kernel.ns, kernel.ns / parts + kernel.work_ns.value_or(kernel.ns));
  }
}

void SinglePasses::EndRow() {
  anchor_ = 0;
  samples_ = 0;
  pass_ = {};
  names_ = 0;
  passes_ = 0;
  waiting_.clear();
}

SinglePasses::Sums SinglePasses::Take() {
  if (samples_ > 1) EndRow();
  return std::exchange(sums_, {});
}

}  // namespace dltap::analyzer
