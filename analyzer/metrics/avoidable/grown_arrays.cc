// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/grown_arrays.h"

#include <utility>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastTurns = 8;
// Each copies as much more than the one before, within this factor: short ones
// grow by little more than they vary.
constexpr double kEven = 2.5;
constexpr size_t kMostOperations = 4096;  // of a turn; more are none

}  // namespace

// By as much as a turn of this row did so far.
bool GrownArrays::Grows(double ns) const {
  if (row_.empty()) return true;
  const double growth = ns - row_.back();
  if (growth <= 0) return false;
  if (row_.size() < 2) return true;
  const double so_far =
      (row_.back() - row_.front()) / static_cast<double>(row_.size() - 1);
  return growth < kEven * so_far && so_far < kEven * growth;
}

void GrownArrays::AddOperation(uint32_t kind) {
  if (kinds_.size() == kMostOperations) {
    EndRow();
    kinds_.clear();
  }
  kinds_.push_back(kind);
}

// Layers that take all that was joined, as DenseNet's, are different ones. The
// first turn may stand behind other work.
void GrownArrays::AddConcatenation(double ns, bool is_new) {
  const bool is_same = row_.size() < 2 || kinds_ == before_;
  before_ = std::exchange(kinds_, {});
  if (!is_same || !Grows(ns)) EndRow();
  row_.push_back(ns);
  new_in_row_ += is_new ? 1 : 0;
}

void GrownArrays::EndRow() {
  if (row_.size() >= kLeastTurns && row_.back() > 2 * row_.front()) {
    sums_.count += new_in_row_;
    for (const double ns : row_) sums_.ns += ns;
    sums_.last_ns += row_.back();
  }
  row_.clear();
  new_in_row_ = 0;
}

GrownArrays::Sums GrownArrays::Take() {
  EndRow();
  kinds_.clear();
  before_.clear();
  return std::exchange(sums_, {});
}

}  // namespace dltap::analyzer
