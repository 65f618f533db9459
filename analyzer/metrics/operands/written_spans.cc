// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/operands/written_spans.h"

#include <algorithm>
#include <iterator>

namespace dltap::analyzer {

void WrittenSpans::Add(Place place) {
  uint64_t begin = place.first;
  uint64_t end = begin + static_cast<uint64_t>(place.second);
  auto at = spans_.upper_bound(begin);
  if (at != spans_.begin() && std::prev(at)->second >= begin) --at;
  while (at != spans_.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = spans_.erase(at);
  }
  spans_[begin] = end;
}

bool WrittenSpans::Has(Place place) const {
  const uint64_t end = place.first + static_cast<uint64_t>(place.second);
  const auto after = spans_.lower_bound(end);
  return after != spans_.begin() && std::prev(after)->second > place.first;
}

}  // namespace dltap::analyzer
