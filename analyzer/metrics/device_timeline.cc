// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/device_timeline.h"

#include <algorithm>
#include <set>

namespace dltap::analyzer {
namespace {

// An activity, or an unobserved span, begins or ends.
struct Edge {
  int64_t at_ns;
  size_t activity;  // kNoActivity: an unobserved span
  bool begins;
};

std::vector<Edge> EdgesOf(const Process& process, DeviceId device) {
  std::vector<Edge> edges;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    if (activity.device != device || activity.end_ns <= activity.begin_ns) {
      continue;
    }
    edges.push_back({activity.begin_ns, i, true});
    edges.push_back({activity.end_ns, i, false});
  }
  for (const NotObserved& span : process.not_observed) {
    if (span.device != device || span.end_ns <= span.begin_ns) continue;
    edges.push_back({span.begin_ns, kNoActivity, true});
    edges.push_back({span.end_ns, kNoActivity, false});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.at_ns < b.at_ns; });
  return edges;
}

DeviceState StateOf(LayerClass layer_class) {
  if (layer_class == LayerClass::kComm) return DeviceState::kComm;
  if (IsCopyOrMemset(layer_class)) return DeviceState::kCopy;
  return DeviceState::kCompute;
}

// The set of what runs, as the sweep passes along the edges.
class Running {
 public:
  explicit Running(const ProcessAttribution& attribution)
      : attribution_(attribution) {}

  void Apply(const Edge& edge) {
    if (edge.activity == kNoActivity) {
      unobserved_ += edge.begins ? 1 : -1;
      return;
    }
    const LayerClass layer_class =
        attribution_.activities[edge.activity].layer_class;
    per_class_[static_cast<size_t>(layer_class)] += edge.begins ? 1 : -1;
    auto& of_state = by_state_[static_cast<size_t>(StateOf(layer_class))];
    // Activities are sorted by begin, so the lowest index began first.
    edge.begins ? (void)of_state.insert(edge.activity)
                : (void)of_state.erase(edge.activity);
  }

  Segment Describe(Interval span) const {
    for (size_t state = 0; state < by_state_.size(); ++state) {
      if (by_state_[state].empty()) continue;
      return {span, static_cast<DeviceState>(state), *by_state_[state].begin(),
              &per_class_};
    }
    const DeviceState state =
        unobserved_ > 0 ? DeviceState::kNotObserved : DeviceState::kIdle;
    return {span, state, kNoActivity, &per_class_};
  }

 private:
  const ProcessAttribution& attribution_;
  PerClass<int> per_class_{};
  std::array<std::set<size_t>, 3> by_state_;  // compute, comm, copy
  int unobserved_ = 0;
};

}  // namespace

void VisitSegments(const Process& process,
                   const ProcessAttribution& attribution, DeviceId device,
                   const std::vector<StepWindow>& windows,
                   const std::function<void(const Segment&)>& visit) {
  const std::vector<Edge> edges = EdgesOf(process, device);
  Running running(attribution);
  size_t next = 0;
  for (const StepWindow& window : windows) {
    int64_t at = window.span.begin_ns;
    while (next < edges.size() && edges[next].at_ns <= at) {
      running.Apply(edges[next++]);
    }
    while (at < window.span.end_ns) {
      const int64_t until =
          next < edges.size() ? std::min(edges[next].at_ns, window.span.end_ns)
                              : window.span.end_ns;
      if (until > at) visit(running.Describe({at, until}));
      at = until;
      while (next < edges.size() && edges[next].at_ns <= at) {
        running.Apply(edges[next++]);
      }
    }
  }
}

}  // namespace dltap::analyzer
