// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/base/submissions.h"

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "analyzer/model/nearly_sorted.h"

namespace dltap::analyzer {

std::vector<Submission> SubmissionOrder(const Process& process,
                                        const ProcessAttribution& attribution) {
  std::vector<Submission> order;
  order.reserve(process.activities.size());
  absl::flat_hash_set<size_t> captured;  // calls
  // By stream, the last for those without one: of a known call.
  std::vector<std::optional<int64_t>> latest(process.streams.size() + 1);
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Attributed& activity = attribution.activities[i];
    const CallId call = activity.submitted_by;
    const StreamId stream = process.activities[i].stream;
    auto& before = stream.known() ? latest[stream.value()] : latest.back();
    int64_t at_ns = process.activities[i].begin_ns;
    if (call.known()) {
      at_ns = process.calls[call.value()].begin_ns;
      before = at_ns;
    } else {
      at_ns = before.value_or(at_ns);
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
  SortNearlySorted(order, [](const Submission& a, const Submission& b) {
    return a.at_ns < b.at_ns;
  });
  return order;
}

}  // namespace dltap::analyzer
