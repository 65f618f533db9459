// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/dense_tables.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

// Rows are read and written.
constexpr double kFewRows = 0.15;
// A smaller one is no table.
constexpr double kLeastBytes = 1e6;
// Accesses to an element of the weights by an update: SGD reads weight and
// gradient and writes the weight; Adam in single operations takes 21.
constexpr double kLeastAccesses = 3;
constexpr double kMostAccesses = 21;
// Sorting and adding up the rows of a table takes some thirty short kernels.
constexpr double kSparseNs = 150'000;

}  // namespace

void DenseTables::AddZeros(double bytes, double ns, bool is_new) {
  if (bytes < kLeastBytes) return;
  count_ += is_new ? 1 : 0;
  zeros_bytes_ += bytes;
  zeros_ns_ += ns;
}

bool DenseTables::AreSparse() const {
  return count_ > 0 && lookup_ns_ * bandwidth_ < kFewRows * zeros_bytes_;
}

double DenseTables::ns() const {
  if (bandwidth_ <= 0) return 0;
  return zeros_ns_ +
         std::min(update_ns_, kMostAccesses * zeros_bytes_ / bandwidth_);
}

double DenseTables::worst_ns() const {
  if (bandwidth_ <= 0) return 0;
  const double saved_ns =
      zeros_ns_ +
      std::min(update_ns_, kLeastAccesses * zeros_bytes_ / bandwidth_) -
      kSparseNs * static_cast<double>(count_);
  return ns() - std::max(0.0, saved_ns);
}

}  // namespace dltap::analyzer
