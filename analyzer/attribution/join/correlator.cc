// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/join/correlator.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/join/call_index.h"
#include "analyzer/attribution/join/correlation_map.h"
#include "analyzer/attribution/join/launch_order.h"
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
        result.kernels_without_launch.push_back(activity.begin_ns);
      }
    }
    result.outermost = index_.outermost();
    result.launches_without_kernel = LaunchesWithoutKernel(result);
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
      by_correlation_.Announce(activity.correlation);
    }
    for (const LaunchRecord& launch : process_.launches) {
      by_correlation_.Announce(launch.correlation);
    }
    for (const Call& call : process_.calls) {
      if (call.correlation != 0) by_correlation_.Announce(call.correlation);
    }
    by_correlation_.Prepare();
    for (const Activity& activity : process_.activities) {
      if (activity.graph_node != 0) continue;
      Submitted& submitted = by_correlation_[activity.correlation];
      if (submitted.has_kernel) continue;
      submitted.has_kernel = true;
      submitted.kernel = activity.name;
    }
  }

  void SetCall(uint64_t correlation, CallId call, JoinedBy joined_by) {
    Submitted& submitted = by_correlation_[correlation];
    submitted.has_call = true;
    submitted.call = call;
    submitted.joined_by = joined_by;
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
    size_t near = 0;
    for (size_t i = first; i < last; ++i) {
      const LaunchRecord& launch = process_.launches[i];
      if (launch.external != 0) {
        SetCall(launch.correlation,
                index_.OutermostAt(thread, launch.external, &near),
                JoinedBy::kCorrelation);
        continue;
      }
      records.push_back({launch.begin_ns,
                         by_correlation_[launch.correlation].kernel, i,
                         launch.end_ns});
    }
    const int64_t tolerance = kClockSlackNs + process_.clock_residual_ns;
    for (const LaunchMatch& match :
         MatchInOrder(records, PlainLaunches(thread), tolerance)) {
      SetCall(process_.launches[match.record_index].correlation,
              CallId(match.call_index), JoinedBy::kCallOrder);
    }
  }

  // Launches and copies that no library call contains; captured ones have an
  // API record like the others.
  std::vector<LaunchSighting> PlainLaunches(ThreadId thread) const {
    std::vector<LaunchSighting> sightings;
    const auto [first, last] = index_.OfThread(thread);
    for (size_t i = first; i < last; ++i) {
      const Call& call = process_.calls[i];
      if (index_.outermost()[i] != CallId(i)) continue;
      if (!PutsWorkOnStream(KindOf(call))) continue;
      sightings.push_back({call.begin_ns, call.function, i, call.end_ns});
    }
    return sightings;
  }

  // Imported traces: the call itself carries the correlation id.
  void IndexImportedCalls() {
    for (size_t i = 0; i < process_.calls.size(); ++i) {
      const uint64_t correlation = process_.calls[i].correlation;
      if (correlation == 0 || by_correlation_[correlation].has_call) continue;
      SetCall(correlation, index_.outermost()[i], JoinedBy::kCorrelation);
    }
  }

  void IndexGraphNodes() {
    for (const GraphNodeOrigin& node : process_.graph_nodes) {
      const GraphNodeOrigin*& origin = node_origin_[node.node];
      // A clone is also told of as created, by the call that cloned.
      if (origin == nullptr || node.original_node != 0) origin = &node;
    }
  }

  // Replays come back to the same nodes.
  CallId CapturedCall(uint64_t node) {
    const auto [it, is_new] = captured_.try_emplace(node);
    if (is_new) it->second = FindCapturedCall(node);
    return it->second;
  }

  CallId FindCapturedCall(uint64_t node) const {
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

  Join JoinActivity(const Activity& activity) {
    Join join;
    const Submitted* submitted = by_correlation_.Find(activity.correlation);
    if (activity.correlation != 0 && submitted != nullptr &&
        submitted->call.known()) {
      join.submitted_by = submitted->call;
      join.owner = submitted->call;
      join.joined_by = submitted->joined_by;
    }
    if (activity.graph_node != 0) {
      join.owner = CapturedCall(activity.graph_node);
      if (join.owner.known()) join.joined_by = JoinedBy::kGraphNode;
    }
    return join;
  }

  std::vector<int64_t> LaunchesWithoutKernel(const Correlation& result) const {
    std::vector<bool> has_work(process_.calls.size());
    for (const Join& join : result.joins) {
      if (join.submitted_by.known()) has_work[join.submitted_by.value()] = true;
    }
    std::vector<int64_t> begins;
    for (size_t i = 0; i < process_.calls.size(); ++i) {
      const Call& call = process_.calls[i];
      if (call.failed || call.capturing || has_work[i]) continue;
      if (index_.outermost()[i] != CallId(i)) continue;
      if (KindOf(call) == specs::Kind::kLaunch &&
          IsObserved(call.begin_ns, call.end_ns)) {
        begins.push_back(call.begin_ns);
      }
    }
    return begins;
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

  // What is known of one correlation id.
  struct Submitted {
    CallId call;
    TextId kernel;  // of its first activity
    JoinedBy joined_by = JoinedBy::kNone;
    bool has_call = false;  // also when the call is not known
    bool has_kernel = false;
  };

  const TraceModel& model_;
  const Process& process_;
  const CallIndex index_;
  CorrelationMap<Submitted> by_correlation_;
  absl::flat_hash_map<uint64_t, const GraphNodeOrigin*> node_origin_;
  absl::flat_hash_map<uint64_t, CallId> captured_;  // by node
};

}  // namespace

Correlation Correlate(const TraceModel& model, const Process& process) {
  return Correlator(model, process).Run();
}

}  // namespace dltap::analyzer
