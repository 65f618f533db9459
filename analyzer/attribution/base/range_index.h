// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_RANGE_INDEX_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_RANGE_INDEX_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Which ranges (NVTX, framework operators) enclose a moment of a thread.
// Holds a reference to the process.
class RangeIndex {
 public:
  explicit RangeIndex(const Process& process);

  // The innermost range open at `at_ns` on `thread`; none if none is.
  RangeId InnermostAt(ThreadId thread, int64_t at_ns) const;

  // Visits (range, begin, end): the innermost ranges over [begin_ns, end_ns) of
  // a thread, in time; what no range covers is left out.
  void ForEachInnermost(
      ThreadId thread, int64_t begin_ns, int64_t end_ns,
      const std::function<void(RangeId, int64_t, int64_t)>& visit) const;

  // The range around `range`; none at the top.
  RangeId ParentOf(RangeId range) const { return parents_[range.value()]; }

 private:
  const Process& process_;
  std::vector<RangeId> parents_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_RANGE_INDEX_H_
