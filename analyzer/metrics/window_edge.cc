// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/window_edge.h"

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
    return {at_ns, static_cast<uint32_t>(it - activities.begin())};
  }
  // The last of some before it that ends there.
  constexpr int kLooked = 64;
  auto it = from;
  for (int n = 0; !is_begin && n < kLooked && it != activities.begin(); ++n) {
    --it;
    if (it->device != device || it->end_ns != at_ns) continue;
    return {at_ns, static_cast<uint32_t>(it - activities.begin()), true};
  }
  return {at_ns};
}

}  // namespace dltap::analyzer
