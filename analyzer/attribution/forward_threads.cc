// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/forward_threads.h"

#include <algorithm>
#include <cstddef>

#include "analyzer/attribution/name_rules.h"

namespace dltap::analyzer {

std::vector<bool> ForwardThreads(const Process& process,
                                 const ProcessAttribution& attribution,
                                 const std::vector<Submission>& order,
                                 const std::vector<bool>& is_backward) {
  struct Does {
    bool layers = false;
    bool updates = false;
    bool other = false;  // a backward pass, replays

    bool trains() const { return layers && updates; }
  };
  std::vector<Does> does(process.threads.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t activity = order[i].activity;
    const Attributed& at = attribution.activities[activity];
    if (!at.submitted_by.known()) continue;
    const Call& call = process.calls[at.submitted_by.value()];
    Does& of_thread = does[call.thread.value()];
    of_thread.other |= is_backward[i] || order[i].captured ||
                       process.activities[activity].graph_node != 0;
    of_thread.layers |= IsOfALayer(at.layer_class);
    of_thread.updates |= at.direction == Direction::kUpdate;
  }
  std::vector<bool> forward(does.size());
  if (std::ranges::none_of(does, &Does::trains)) return forward;
  for (size_t thread = 0; thread < does.size(); ++thread) {
    const Does& each = does[thread];
    forward[thread] = each.layers && !each.updates && !each.other;
  }
  return forward;
}

}  // namespace dltap::analyzer
