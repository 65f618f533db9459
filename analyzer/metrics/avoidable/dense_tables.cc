// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/dense_tables.h"

#include <algorithm>
#include <cmath>

namespace dltap::analyzer {
namespace {

// Rows are read and written: a quarter of them at most.
constexpr double kFewRows = 0.5;
// A smaller one is no table.
constexpr double kLeastBytes = 1e6;
// Of the elements of so many blocks, what a table has at least.
constexpr double kWholeBlocks = 0.995;
// Accesses to an element of the weights by an update: SGD reads weight and
// gradient and writes the weight; Adam in single operations takes 21, fused 7.
constexpr double kLeastAccesses = 3;
constexpr double kMostAccesses = 21;
constexpr double kSurelyNotAdam = 5;
// Sorting and adding up the rows of a table takes some thirty short kernels.
// Each that moves the rows takes as long as a lookup, where that is longer.
constexpr double kSparseNs = 150'000;
constexpr double kShortKernelNs = 5000;
// Accesses to the rows, two of which are a lookup: SGD reads the gradients,
// adds them up, and reads and writes the weights; SparseAdam takes rows of two
// moments out and adds to them, too, in single operations.
constexpr double kSgdLookups = 6.0 / 2;
constexpr double kAdamLookups = 42.0 / 2;

}  // namespace

void DenseTables::AddZeros(double bytes, double ns, bool is_new) {
  if (bytes < kLeastBytes) return;
  Zeros& zeros = zeros_[std::llround(bytes)];
  zeros.count += is_new ? 1 : 0;
  zeros.bytes += bytes;
  zeros.ns += ns;
}

void DenseTables::AddLookup(double ns) {
  lookup_ns_ += ns;
  long_lookup_ns_ += std::max(0.0, ns - kShortKernelNs);
}

void DenseTables::AddProduct(const opmodel::Operation& op) {
  using opmodel::Dim;
  const int64_t m = op[Dim::kM], n = op[Dim::kN], k = op[Dim::kK];
  for (const int64_t elements : {m * k, n * k, m * n}) {
    matrices_.insert(elements);
  }
}

// Products may take a narrow copy of the table. Its bytes are those of whole
// blocks of threads.
bool DenseTables::IsMultiplied(int64_t bytes) const {
  for (const int64_t most : {bytes / 2, bytes / 4}) {
    const auto least = static_cast<int64_t>(kWholeBlocks * most);
    const auto matrix = matrices_.lower_bound(least);
    if (matrix != matrices_.end() && *matrix <= most) return true;
  }
  return false;
}

double DenseTables::SparseNs(const Zeros& zeros) const {
  const bool may_be_adam =
      update_ns_ * bandwidth_ >= kSurelyNotAdam * zeros.bytes;
  return kSparseNs * static_cast<double>(zeros.count) +
         (may_be_adam ? kAdamLookups : kSgdLookups) * long_lookup_ns_;
}

DenseTables::Sums DenseTables::Take() const {
  Zeros all;
  for (const auto& [bytes, zeros] : zeros_) {
    if (IsMultiplied(bytes)) continue;
    all.count += zeros.count;
    all.bytes += zeros.bytes;
    all.ns += zeros.ns;
  }
  if (bandwidth_ <= 0 || lookup_ns_ * bandwidth_ >= kFewRows * all.bytes) {
    return {};
  }
  const auto update_ns = [&](double accesses) {
    return std::min(update_ns_, accesses * all.bytes / bandwidth_);
  };
  const double ns = all.ns + update_ns(kMostAccesses);
  const double saved_ns = all.ns + update_ns(kLeastAccesses) - SparseNs(all);
  return {all.count, ns, ns - std::max(0.0, saved_ns)};
}

}  // namespace dltap::analyzer
