// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/correlator.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/call_index.h"
#include "analyzer/attribution/launch_order.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

// The activity source's host times may be this far from ours beyond the fitted
// residual (largest distance seen between the clocks: 9 us).
constexpr int64_t kClockSlackNs = 20'000;
constexpr int kMaxCloneChain = 64;

class Correlator {
 public:
  Correlator(const TraceModel& model, const Process& process)
      : model_(model), process_(process), index_(process) {}

  Correlation Run() {
    IndexKernels();
    JoinLaunchRecords();
    IndexImportedCalls();
    IndexGraphNodes();
    Correlation result;
    result.joins.reserve(process_.activities.size());
    for (const Activity& activity : process_.activities) {
      result.joins.push_back(JoinActivity(activity));
      if (activity.kind == ActivityKind::kKernel &&
          !result.joins.back().submitted_by.known() &&
          IsObserved(activity.begin_ns, activity.begin_ns)) {
        ++result.kernels_without_launch;
      }
    }
    result.outermost = index_.outermost();
    result.launches_without_kernel = CountLaunchesWithoutKernel(result);
    return result;
  }

 private:
  specs::Kind KindOf(const Call& call) const {
    const auto* info = model_.entry_points[call.entry.value()].info;
    return info == nullptr ? specs::Kind::kOther : info->kind;
  }

  static bool PutsWorkOnStream(specs::Kind kind) {
    return kind == specs::Kind::kLaunch || kind == specs::Kind::kGraphLaunch ||
           kind == specs::Kind::kMemcpy || kind == specs::Kind::kMemset;
  }

  void IndexKernels() {
    for (const Activity& activity : process_.activities) {
      if (activity.graph_node != 0) continue;
      kernel_of_.try_emplace(activity.correlation, activity.name);
    }
  }

  // Own traces: API record -> call, by external id or by order.
  void JoinLaunchRecords() {
    const auto& launches = process_.launches;
    for (size_t first = 0; first < launches.size();) {
      size_t last = first;
      while (last < launches.size() &&
             launches[last].thread == launches[first].thread) {
        ++last;
      }
      JoinThread(launches[first].thread, first, last);
      first = last;
    }
  }

  void JoinThread(ThreadId thread, size_t first, size_t last) {
    std::vector<LaunchSighting> records;
    for (size_t i = first; i < last; ++i) {
      const LaunchRecord& launch = process_.launches[i];
      if (launch.external != 0) {
        const CallId call = index_.OutermostAt(thread, launch.external);
        submitter_[launch.correlation] = {call, JoinedBy::kCorrelation};
        continue;
      }
      const auto kernel = kernel_of_.find(launch.correlation);
      records.push_back({launch.begin_ns,
                         kernel == kernel_of_.end() ? TextId() : kernel->second,
                         i});
    }
    const int64_t tolerance = kClockSlackNs + process_.clock_residual_ns;
    for (const LaunchMatch& match :
         MatchInOrder(records, PlainLaunches(thread), tolerance)) {
      const uint64_t id = process_.launches[match.record_index].correlation;
      submitter_[id] = {CallId(match.call_index), JoinedBy::kCallOrder};
    }
  }

  // Launches and copies that no library call contains.
  std::vector<LaunchSighting> PlainLaunches(ThreadId thread) const {
    std::vector<LaunchSighting> sightings;
    const auto [first, last] = index_.OfThread(thread);
    for (size_t i = first; i < last; ++i) {
      const Call& call = process_.calls[i];
      if (index_.outermost()[i] != CallId(i)) continue;
      if (call.capturing || !PutsWorkOnStream(KindOf(call))) continue;
      sightings.push_back({call.begin_ns, call.function, i, call.end_ns});
    }
    return sightings;
  }

  // Imported traces: the call itself carries the correlation id.
  void IndexImportedCalls() {
    for (size_t i = 0; i < process_.calls.size(); ++i) {
      const uint64_t correlation = process_.calls[i].correlation;
      if (correlation == 0) continue;
      submitter_.try_emplace(correlation, Submitter{index_.outermost()[i],
                                                    JoinedBy::kCorrelation});
    }
  }

  void IndexGraphNodes() {
    for (const GraphNodeOrigin& node : process_.graph_nodes) {
      const GraphNodeOrigin*& origin = node_origin_[node.node];
      // A clone is also told of as created, by the call that cloned.
      if (origin == nullptr || node.original_node != 0) origin = &node;
    }
  }

  CallId CapturedCall(uint64_t node) const {
    for (int hops = 0; hops < kMaxCloneChain; ++hops) {
      const auto it = node_origin_.find(node);
      if (it == node_origin_.end()) return CallId();
      const GraphNodeOrigin& origin = *it->second;
      if (origin.call_begin_ticks != 0) {
        return index_.OutermostAt(origin.thread, origin.call_begin_ticks);
      }
      node = origin.original_node;
    }
    return CallId();
  }

  Join JoinActivity(const Activity& activity) const {
    Join join;
    if (const auto it = submitter_.find(activity.correlation);
        activity.correlation != 0 && it != submitter_.end()) {
      join.submitted_by = it->second.call;
      join.owner = it->second.call;
      join.joined_by =
          join.owner.known() ? it->second.joined_by : JoinedBy::kNone;
    }
    if (activity.graph_node != 0) {
      join.owner = CapturedCall(activity.graph_node);
      if (join.owner.known()) join.joined_by = JoinedBy::kGraphNode;
    }
    return join;
  }

  uint64_t CountLaunchesWithoutKernel(const Correlation& result) const {
    std::vector<bool> has_work(process_.calls.size());
    for (const Join& join : result.joins) {
      if (join.submitted_by.known()) has_work[join.submitted_by.value()] = true;
    }
    uint64_t count = 0;
    for (size_t i = 0; i < process_.calls.size(); ++i) {
      const Call& call = process_.calls[i];
      if (call.failed || call.capturing || has_work[i]) continue;
      if (index_.outermost()[i] != CallId(i)) continue;
      if (KindOf(call) == specs::Kind::kLaunch &&
          IsObserved(call.begin_ns, call.end_ns)) {
        ++count;
      }
    }
    return count;
  }

  // A launch whose kernel could not be delivered is not a missing kernel; nor
  // is a kernel without launch whose launch was under way when recording began.
  bool IsObserved(int64_t begin_ns, int64_t end_ns) const {
    return std::none_of(process_.not_observed.begin(),
                        process_.not_observed.end(),
                        [=](const NotObserved& span) {
                          return end_ns >= span.begin_ns &&
                                 begin_ns < span.end_ns + kClockSlackNs;
                        });
  }

  struct Submitter {
    CallId call;
    JoinedBy joined_by;
  };

  const TraceModel& model_;
  const Process& process_;
  const CallIndex index_;
  absl::flat_hash_map<uint64_t, TextId> kernel_of_;     // by correlation
  absl::flat_hash_map<uint64_t, Submitter> submitter_;  // by correlation
  absl::flat_hash_map<uint64_t, const GraphNodeOrigin*> node_origin_;
};

}  // namespace

Correlation Correlate(const TraceModel& model, const Process& process) {
  return Correlator(model, process).Run();
}

}  // namespace dltap::analyzer
