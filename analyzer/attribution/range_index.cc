// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/range_index.h"

#include <algorithm>
#include <tuple>

namespace dltap::analyzer {

RangeIndex::RangeIndex(const Process& process)
    : process_(process), parents_(process.ranges.size()) {
  const std::vector<Range>& ranges = process.ranges;
  std::vector<RangeId> open;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto closed = [&](RangeId id) {
      const Range& candidate = ranges[id.value()];
      return candidate.thread != ranges[i].thread ||
             candidate.end_ns <= ranges[i].begin_ns;
    };
    while (!open.empty() && closed(open.back())) open.pop_back();
    if (!open.empty()) parents_[i] = open.back();
    open.push_back(RangeId(i));
  }
}

RangeId RangeIndex::InnermostAt(ThreadId thread, int64_t at_ns) const {
  const std::vector<Range>& ranges = process_.ranges;
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(), std::make_tuple(thread, at_ns),
      [](const auto& key, const Range& range) {
        return key < std::make_tuple(range.thread, range.begin_ns);
      });
  if (after == ranges.begin()) return RangeId();
  RangeId id(after - ranges.begin() - 1);
  if (ranges[id.value()].thread != thread) return RangeId();
  while (id.known() && ranges[id.value()].end_ns < at_ns) id = ParentOf(id);
  return id;
}

}  // namespace dltap::analyzer
