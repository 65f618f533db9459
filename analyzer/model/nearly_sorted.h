// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_NEARLY_SORTED_H_
#define DLTAP_ANALYZER_MODEL_NEARLY_SORTED_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dltap::analyzer {

// Takes out the events that come after a later one; the others stay, in order.
template <typename T, typename Less>
std::vector<T> TakeLate(std::vector<T>& events, Less less) {
  std::vector<T> late;
  auto kept = events.begin();
  for (T& event : events) {
    if (kept != events.begin() && less(event, *(kept - 1))) {
      late.push_back(event);
      continue;
    }
    if (&*kept != &event) *kept = event;
    ++kept;
  }
  events.erase(kept, events.end());
  return late;
}

template <typename T, typename Less>
void SortNearlySorted(std::vector<T>& events, Less less);

// Those that are late are mostly in order among themselves: one stream's work
// waits behind another's. Else a new look at them does not pay.
template <typename T, typename Less>
void SortLate(std::vector<T>& late, size_t in_time, Less less) {
  if (std::is_sorted(late.begin(), late.end(), less)) return;
  if (late.size() <= 4 * in_time) {
    SortNearlySorted(late, less);
  } else {
    std::stable_sort(late.begin(), late.end(), less);
  }
}

// A stable sort for events that mostly come in order: it looks at all, but
// sorts and copies only those that are late. At worst, that is all of them.
template <typename T, typename Less>
void SortNearlySorted(std::vector<T>& events, Less less) {
  std::vector<T> late = TakeLate(events, less);
  if (late.empty()) return;
  SortLate(late, events.size(), less);
  // From the end, so that nothing is overwritten before it has moved. Of equal
  // events the late one came second.
  size_t kept = events.size();
  events.resize(kept + late.size());
  for (size_t to = events.size(); !late.empty();) {
    --to;
    if (kept > 0 && less(late.back(), events[kept - 1])) {
      events[to] = events[--kept];
    } else {
      events[to] = late.back();
      late.pop_back();
    }
  }
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_NEARLY_SORTED_H_
