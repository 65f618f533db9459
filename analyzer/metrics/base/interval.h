// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_INTERVAL_H_
#define DLTAP_ANALYZER_METRICS_BASE_INTERVAL_H_

#include <algorithm>
#include <compare>
#include <cstdint>

namespace dltap::analyzer {

struct Interval {
  int64_t begin_ns;
  int64_t end_ns;  // half open
  int64_t length_ns() const { return end_ns - begin_ns; }

  auto operator<=>(const Interval&) const = default;
};

// Empty, with its end before its begin, where they don't meet.
inline Interval Common(Interval a, Interval b) {
  return {std::max(a.begin_ns, b.begin_ns), std::min(a.end_ns, b.end_ns)};
}

inline int64_t CommonNs(Interval a, Interval b) {
  return std::max<int64_t>(0, Common(a, b).length_ns());
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_INTERVAL_H_
