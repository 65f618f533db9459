// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_DISJOINT_H_
#define DLTAP_ANALYZER_METRICS_BASE_DISJOINT_H_

#include <algorithm>
#include <limits>
#include <vector>

#include "analyzer/metrics/base/interval.h"

namespace dltap::analyzer {

// The union of `intervals`: in order, each cut where an earlier one reaches.
inline std::vector<Interval> Disjoint(std::vector<Interval> intervals) {
  std::ranges::sort(intervals);
  int64_t until_ns = std::numeric_limits<int64_t>::min();
  for (Interval& interval : intervals) {
    interval.begin_ns = std::max(interval.begin_ns, until_ns);
    until_ns = std::max(until_ns, interval.end_ns);
  }
  std::erase_if(intervals, [](const Interval& interval) {
    return interval.length_ns() <= 0;
  });
  return intervals;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_DISJOINT_H_
