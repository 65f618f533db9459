// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_RANGE_INDEX_H_
#define DLTAP_ANALYZER_ATTRIBUTION_RANGE_INDEX_H_

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

  // The range around `range`; none at the top.
  RangeId ParentOf(RangeId range) const { return parents_[range.value()]; }

 private:
  const Process& process_;
  std::vector<RangeId> parents_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_RANGE_INDEX_H_
