// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory_level.h"

#include <algorithm>

namespace dltap::analyzer {

MemoryLevel LevelOf(const std::vector<MemoryChange>& changes, Interval span,
                    PeakMaker* maker) {
  MemoryLevel level;
  int64_t bytes = 0;
  level.peak_at_ns = std::max<int64_t>(span.begin_ns, 0);
  for (const MemoryChange& change : changes) {
    if (change.at_ns >= span.end_ns) break;
    bytes += change.bytes;
    ++(change.bytes > 0 ? level.taken : level.given_back);
    const bool is_before = change.at_ns < span.begin_ns;
    if (is_before) {  // what the span begins with
      level.peak_bytes = bytes;
      continue;
    }
    if (bytes <= level.peak_bytes) continue;
    level.peak_bytes = bytes;
    level.peak_at_ns = change.at_ns;
    if (maker != nullptr) *maker = {change.member, change.thread};
  }
  level.end_bytes = bytes;
  return level;
}

std::vector<int64_t> LevelAtStepEnds(const std::vector<MemoryChange>& changes,
                                     size_t member, const Steps& steps) {
  std::vector<int64_t> out;
  int64_t bytes = 0;
  auto change = changes.begin();
  for (const Step& step : steps.steps) {
    for (; change != changes.end() && change->at_ns <= step.end_ns; ++change) {
      if (change->member == member) bytes += change->bytes;
    }
    if (step.use == StepUse::kUsed) out.push_back(bytes);
  }
  return out;
}

}  // namespace dltap::analyzer
