// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/unfolded_convolutions.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

// One may be what a model itself unfolds, of all samples at once.
constexpr size_t kLeastSamples = 2;

// Unfolding 3 x 3 patches writes nine times what it reads. cuDNN may transpose
// what it takes and gives, two tensors as large as that, each read and written.
constexpr double kTransposes = 0.4;

void Add(const UnfoldedConvolutions::Sums& from,
         UnfoldedConvolutions::Sums& to) {
  to.count += from.count;
  to.ns += from.ns;
  to.best_ns += from.best_ns;
  to.worst_ns += from.worst_ns;
}

}  // namespace

void UnfoldedConvolutions::AddUnfold(const Kernel& kernel) {
  stage_ = Stage::kUnfolded;
  unfold_ = kernel;
}

void UnfoldedConvolutions::AddProduct(const Product& product) {
  product_ = product;
  const bool is_pair = stage_ == Stage::kUnfolded;
  stage_ = Stage::kMultiplied;
  if (!is_pair) return;
  AddPair(unfold_);
  stage_ = Stage::kNone;
}

void UnfoldedConvolutions::AddFold(const Kernel& kernel) {
  if (stage_ == Stage::kMultiplied) AddPair(kernel);
  stage_ = Stage::kNone;
}

void UnfoldedConvolutions::AddPair(const Kernel& patches) {
  if (product_.sizes != sizes_) EndRow();
  sizes_ = product_.sizes;
  ++pairs_;
  Add({.count = patches.is_new ? 1U : 0U,
       .ns = patches.ns + product_.ns,
       .best_ns = std::min(product_.best_ns, product_.ns),
       .worst_ns =
           std::min(product_.worst_ns, product_.ns) + kTransposes * patches.ns},
      row_);
}

void UnfoldedConvolutions::EndRow() {
  if (pairs_ >= kLeastSamples) Add(row_, sums_);
  pairs_ = 0;
  row_ = {};
  sizes_ = {};
  stage_ = Stage::kNone;
}

UnfoldedConvolutions::Sums UnfoldedConvolutions::Take() {
  EndRow();
  return std::exchange(sums_, {});
}

}  // namespace dltap::analyzer
