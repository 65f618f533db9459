// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/window_edge.h"

#include <algorithm>

namespace dltap::analyzer {

WindowEdge EdgeAt(const Process& process, DeviceId device, int64_t at_ns,
                  bool is_begin) {
  const auto& activities = process.activities;
  const auto from = std::lower_bound(
      activities.begin(), activities.end(), at_ns,
      [](const Activity& a, int64_t at) { return a.begin_ns < at; });
  for (auto it = from; it != activities.end() && it->begin_ns == at_ns; ++it) {
    if (it->device != device) continue;
    return {at_ns, static_cast<uint32_t>(it - activities.begin()), true};
  }
  // The last of some before it.
  constexpr int kLooked = 64;
  WindowEdge running{at_ns};
  auto it = from;
  for (int n = 0; n < kLooked && it != activities.begin(); ++n) {
    --it;
    if (it->device != device || it->end_ns < at_ns) continue;
    const auto work = static_cast<uint32_t>(it - activities.begin());
    if (it->end_ns > at_ns) {
      if (running.work == kNoWork) running.work = work;
    } else if (!is_begin) {
      return {at_ns, work};
    }
  }
  return running;
}

}  // namespace dltap::analyzer
