// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/sorted_tops.h"

#include <utility>

namespace dltap::analyzer {
namespace {

constexpr double kMostOfElement = 8;   // bytes
constexpr double kMostOfBlock = 1024;  // elements
constexpr double kFew = 0.125;         // of what was sorted
constexpr uint64_t kLeastOthers = 2;   // that work on so few

}  // namespace

// A sort works on a copy.
void SortedTops::AddCopy(double bytes, double ns) {
  stage_ = Stage::kCopied;
  sort_ = {.ns = ns, .bytes = bytes};
  copy_ns_ = ns;
}

double SortedTops::AddSort(double ns, bool is_new) {
  if (stage_ == Stage::kNone) return 0;
  if (stage_ != Stage::kSorted) sort_.count = is_new ? 1 : 0;
  stage_ = Stage::kSorted;
  others_ = 0;
  sort_.ns += ns;
  return std::exchange(copy_ns_, 0);
}

SortedTops::Sums SortedTops::AddOther(double ns, uint64_t blocks) {
  if (stage_ == Stage::kCopied) {  // numbers the elements
    stage_ = Stage::kNumbered;
    sort_.ns += ns;
    return {};
  }
  const double elements = static_cast<double>(blocks) * kMostOfBlock;
  if (stage_ != Stage::kSorted ||
      elements > kFew * sort_.bytes / kMostOfElement) {
    *this = {};
    return {};
  }
  if (++others_ < kLeastOthers) return {};
  return std::exchange(*this, {}).sort_;
}

}  // namespace dltap::analyzer
