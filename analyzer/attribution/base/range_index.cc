// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/base/range_index.h"

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

void RangeIndex::ForEachInnermost(
    ThreadId thread, int64_t begin_ns, int64_t end_ns,
    const std::function<void(RangeId, int64_t, int64_t)>& visit) const {
  const std::vector<Range>& ranges = process_.ranges;
  auto next =
      std::upper_bound(
          ranges.begin(), ranges.end(), std::make_tuple(thread, begin_ns),
          [](const auto& key, const Range& range) {
            return key < std::make_tuple(range.thread, range.begin_ns);
          }) -
      ranges.begin();
  RangeId open = InnermostAt(thread, begin_ns);
  int64_t at = begin_ns;
  while (at < end_ns) {
    while (open.known() && ranges[open.value()].end_ns <= at) {
      open = ParentOf(open);
    }
    const bool more = static_cast<size_t>(next) < ranges.size() &&
                      ranges[next].thread == thread &&
                      ranges[next].begin_ns < end_ns;
    int64_t until = more ? std::max(at, ranges[next].begin_ns) : end_ns;
    if (open.known()) {
      until = std::min(until, ranges[open.value()].end_ns);
      if (until > at) visit(open, at, until);
    }
    if (more && until >= ranges[next].begin_ns) open = RangeId(next++);
    at = until;
  }
}

}  // namespace dltap::analyzer
