// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/trials/timed_plans.h"

#include <algorithm>
#include <cstddef>

namespace dltap::analyzer {
namespace {

constexpr size_t kTimedPlans = 2;

bool IsOfImportedOperator(const Process& process, const HostWork& at) {
  return at.ruling.known() &&
         process.ranges[at.ruling.value()].kind == RangeKind::kFrameworkOp;
}

// The end of what the operator at `first` did: its work and the events in it.
size_t EndOfOperator(std::span<const HostWork> works, size_t first) {
  size_t end = first + 1;
  for (size_t i = end; i < works.size(); ++i) {
    const bool passes = works[i].records_event || works[i].is_fill;
    if (!passes && works[i].ruling != works[first].ruling) break;
    if (works[i].ruling == works[first].ruling) end = i + 1;
  }
  return end;
}

// Where the run to warm up begins that ends at `end` and is equal to `timed`;
// `end` if there is none.
size_t BeginOfWarmUp(std::span<const HostWork> works, size_t first, size_t end,
                     std::span<const HostWork> timed) {
  if (end - first < timed.size()) return end;
  const size_t begin = end - timed.size();
  const bool equal = std::equal(timed.begin(), timed.end(),
                                works.begin() + static_cast<ptrdiff_t>(begin),
                                [](const HostWork& a, const HostWork& b) {
                                  return a.exact == b.exact && !b.records_event;
                                });
  return equal ? begin : end;
}

}  // namespace

void MarkTimedPlans(const Process& process, std::span<const HostWork> works,
                    std::vector<bool>& is_trial) {
  for (size_t first = 0; first < works.size();) {
    if (!IsOfImportedOperator(process, works[first])) {
      ++first;
      continue;
    }
    const size_t end = EndOfOperator(works, first);
    std::vector<size_t> events;
    for (size_t i = first; i < end; ++i) {
      if (works[i].records_event) events.push_back(i);
    }
    for (size_t e = 1; events.size() / 2 >= kTimedPlans && e < events.size();
         e += 2) {
      const auto timed =
          works.subspan(events[e - 1] + 1, events[e] - events[e - 1] - 1);
      const size_t begin = BeginOfWarmUp(
          works, e == 1 ? first : events[e - 2] + 1, events[e - 1], timed);
      for (size_t i = begin; i < events[e]; ++i) is_trial[works[i].call] = true;
    }
    first = end;
  }
}

}  // namespace dltap::analyzer
