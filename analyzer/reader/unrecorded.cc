// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/unrecorded.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_set.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kClockErrorNs = 10'000;

bool LiesIn(const std::vector<TimePart>& spans, int64_t at_ns) {
  const auto after = std::upper_bound(
      spans.begin(), spans.end(), at_ns,
      [](int64_t at, const TimePart& span) { return at < span.begin_ns; });
  if (after == spans.begin()) return false;
  const TimePart& span = *(after - 1);
  return at_ns >= span.begin_ns + kClockErrorNs &&
         at_ns < span.end_ns - kClockErrorNs;
}

}  // namespace

void EraseUnrecorded(const std::vector<TimePart>& spans, Process& process) {
  if (spans.empty()) return;
  absl::flat_hash_set<uint64_t> erased;
  std::erase_if(process.launches, [&](const LaunchRecord& launch) {
    const bool in_recorded_call = launch.external != 0;
    if (in_recorded_call || !LiesIn(spans, launch.begin_ns)) return false;
    erased.insert(launch.correlation);
    return true;
  });
  absl::flat_hash_set<uint64_t> launched;
  for (const LaunchRecord& launch : process.launches) {
    launched.insert(launch.correlation);
  }
  std::erase_if(process.activities, [&](const Activity& activity) {
    return erased.contains(activity.correlation) ||
           (LiesIn(spans, activity.begin_ns) &&
            !launched.contains(activity.correlation));
  });
}

}  // namespace dltap::analyzer
