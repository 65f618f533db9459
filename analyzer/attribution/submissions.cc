// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/submissions.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace dltap::analyzer {

std::vector<Submission> SubmissionOrder(const Process& process,
                                        const ProcessAttribution& attribution) {
  std::vector<Submission> order;
  order.reserve(process.activities.size());
  absl::flat_hash_set<size_t> captured;         // calls
  absl::flat_hash_map<size_t, int64_t> latest;  // by stream: of a known call
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Attributed& activity = attribution.activities[i];
    const CallId call = activity.submitted_by;
    const size_t stream = process.activities[i].stream.value();
    int64_t at_ns = process.activities[i].begin_ns;
    if (call.known()) {
      at_ns = latest[stream] = process.calls[call.value()].begin_ns;
    } else if (const auto it = latest.find(stream); it != latest.end()) {
      at_ns = it->second;
    }
    order.push_back({at_ns, i, false});
    if (process.activities[i].graph_node == 0 || !activity.owner.known()) {
      continue;
    }
    if (captured.insert(activity.owner.value()).second) {
      order.push_back(
          {process.calls[activity.owner.value()].begin_ns, i, true});
    }
  }
  // Activities are by begin, and stay so where the host's times are equal.
  std::stable_sort(order.begin(), order.end(),
                   [](const Submission& a, const Submission& b) {
                     return a.at_ns < b.at_ns;
                   });
  return order;
}

}  // namespace dltap::analyzer
