// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/needless_casts.h"

#include <algorithm>
#include <cmath>

namespace dltap::analyzer {

namespace {

// As many elements; where one kernel does not tell its types, as long.
bool MoveTheSame(const NeedlessCasts::Cast& a, const NeedlessCasts::Cast& b) {
  constexpr double kSameBytes = 0.001;
  constexpr double kSameTime = 0.15;
  if (a.bytes > 0 && b.bytes > 0) {
    return std::abs(a.bytes - b.bytes) <= kSameBytes * a.bytes;
  }
  return std::abs(a.ns - b.ns) <= kSameTime * std::max(a.ns, b.ns);
}

}  // namespace

// There and back are two kernels; casts of equal weights are one and the same.
NeedlessCasts::Sums NeedlessCasts::AddCast(const Cast& cast) {
  const bool is_pair = has_last_ && cast.stream == last_.stream &&
                       cast.name != last_.name && MoveTheSame(cast, last_);
  Sums sums;
  if (is_pair) {
    sums.count = (cast.is_new ? 1U : 0U) + (last_.is_new ? 1U : 0U);
    sums.ns = cast.ns + last_.ns;
  }
  last_ = cast;
  has_last_ = !is_pair;
  return sums;
}

}  // namespace dltap::analyzer
