// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/device_order.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/join/correlation_map.h"
#include "analyzer/metrics/base/stream_handles.h"
#include "analyzer/model/nearly_sorted.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kUnknownTime = std::numeric_limits<int64_t>::max();

// The work of each stream in the order of its submission.
class StreamQueues {
 public:
  StreamQueues(const Process& process, const std::vector<int64_t>& submitted_ns)
      : queues_(process.streams.size()) {
    for (size_t i = 0; i < process.activities.size(); ++i) {
      const Activity& activity = process.activities[i];
      if (!activity.stream.known()) continue;
      auto& queue = queues_[activity.stream.value()];
      int64_t at_ns = std::min(submitted_ns[i], activity.begin_ns);
      // Where no call is known, after what stands before it in the stream.
      if (submitted_ns[i] == kUnknownTime && !queue.empty()) {
        at_ns = std::min(at_ns, queue.back().first);
      }
      queue.emplace_back(at_ns, static_cast<uint32_t>(i));
    }
    for (auto& queue : queues_) SortNearlySorted(queue, std::less<>());
  }

  size_t count() const { return queues_.size(); }

  // The last that was submitted before then; kNoWork: none.
  uint32_t LastBefore(StreamId stream, int64_t at_ns) const {
    const auto& queue = queues_[stream.value()];
    const auto after =
        std::lower_bound(queue.begin(), queue.end(), std::pair(at_ns, 0U));
    return after == queue.begin() ? kNoWork : std::prev(after)->second;
  }

  // The first that was submitted then or later.
  uint32_t FirstFrom(StreamId stream, int64_t at_ns) const {
    const auto& queue = queues_[stream.value()];
    const auto at =
        std::lower_bound(queue.begin(), queue.end(), std::pair(at_ns, 0U));
    return at == queue.end() ? kNoWork : at->second;
  }

 private:
  std::vector<std::vector<std::pair<int64_t, uint32_t>>> queues_;
};

// When the driver was asked to run each activity.
std::vector<int64_t> SubmissionTimes(const Process& process,
                                     const ProcessAttribution& attribution) {
  CorrelationMap<int64_t> by_correlation;  // launch records, begin + 1
  for (const LaunchRecord& record : process.launches) {
    by_correlation.Announce(record.correlation);
  }
  by_correlation.Prepare();
  for (const LaunchRecord& record : process.launches) {
    by_correlation[record.correlation] = record.begin_ns + 1;
  }
  std::vector<int64_t> times(process.activities.size(), kUnknownTime);
  for (size_t i = 0; i < times.size(); ++i) {
    const CallId id = attribution.activities[i].submitted_by;
    if (!id.known()) continue;
    const Call& call = process.calls[id.value()];
    times[i] = call.begin_ns;
    const int64_t* record =
        by_correlation.Find(process.activities[i].correlation);
    if (record == nullptr || *record == 0) continue;
    if (*record - 1 >= call.begin_ns && *record - 1 <= call.end_ns) {
      times[i] = *record - 1;
    }
  }
  return times;
}

// Goes through the calls of all threads in time.
class OrderFinder {
 public:
  OrderFinder(const TraceModel& model, const Process& process,
              const ProcessAttribution& attribution)
      : model_(model),
        process_(process),
        handles_(model, process, attribution) {
    out_.submitted_ns = SubmissionTimes(process, attribution);
    queues_.emplace(process, out_.submitted_ns);
    for (size_t i = 0; i < process.activities.size(); ++i) {
      const CallId call = attribution.activities[i].submitted_by;
      if (!call.known()) continue;
      if (process.activities[i].graph_node != 0) {
        replays_[call.value()].push_back(static_cast<uint32_t>(i));
      } else if (process.activities[i].kind != ActivityKind::kKernel) {
        copies_[call.value()] = static_cast<uint32_t>(i);
      }
    }
    for (const Sync& sync : process.syncs) {
      if (sync.correlation != 0) syncs_[sync.correlation] = &sync;
    }
  }

  DeviceOrder Run() {
    for (const size_t call : CallsInTime()) Visit(call);
    std::sort(out_.dependencies.begin(), out_.dependencies.end());
    return std::move(out_);
  }

 private:
  const specs::EntryPointInfo* InfoOf(const Call& call) const {
    return model_.entry_points[call.entry.value()].info;
  }

  bool Matters(size_t index) const {
    const Call& call = process_.calls[index];
    const auto* info = InfoOf(call);
    if (info == nullptr || call.capturing || call.failed) return false;
    return info->blocking || info->kind == specs::Kind::kEventRecord ||
           info->kind == specs::Kind::kEventWait ||
           info->kind == specs::Kind::kQuery ||
           info->kind == specs::Kind::kGraphLaunch ||
           info->kind == specs::Kind::kMemcpy;
  }

  std::vector<size_t> CallsInTime() const {
    std::vector<size_t> calls;
    for (size_t i = 0; i < process_.calls.size(); ++i) {
      if (Matters(i)) calls.push_back(i);
    }
    std::stable_sort(calls.begin(), calls.end(), [this](size_t a, size_t b) {
      return process_.calls[a].begin_ns < process_.calls[b].begin_ns;
    });
    return calls;
  }

  void Visit(size_t index) {
    const Call& call = process_.calls[index];
    switch (InfoOf(call)->kind) {
      case specs::Kind::kEventRecord: Record(call); return;
      case specs::Kind::kEventWait: StreamWaits(call); return;
      case specs::Kind::kGraphLaunch: Replay(index); return;
      case specs::Kind::kMemcpy: HostCopies(index); return;
      default: HostWaits(index);
    }
  }

  void Record(const Call& call) {
    const auto stream = handles_.StreamOf(call);
    const auto event = handles_.EventOf(call);
    const uint32_t last =
        stream ? queues_->LastBefore(*stream, call.begin_ns) : kNoWork;
    if (event) events_[*event] = last;
    if (call.correlation != 0) recorded_[call.correlation] = call.begin_ns;
  }

  // What the event of this call stands for; kNoWork: nothing, or not known.
  uint32_t WorkBehind(const Call& call) const {
    if (const auto event = handles_.EventOf(call)) {
      const auto found = events_.find(*event);
      return found == events_.end() ? kNoWork : found->second;
    }
    const Sync* sync = SyncOf(call);
    if (sync == nullptr || !sync->event_stream.known()) return kNoWork;
    const auto recorded = recorded_.find(sync->event_correlation);
    return recorded == recorded_.end()
               ? kNoWork
               : queues_->LastBefore(sync->event_stream, recorded->second);
  }

  const Sync* SyncOf(const Call& call) const {
    if (call.correlation == 0) return nullptr;
    const auto found = syncs_.find(call.correlation);
    return found == syncs_.end() ? nullptr : found->second;
  }

  std::optional<StreamId> StreamOf(const Call& call) const {
    if (const auto stream = handles_.StreamOf(call)) return stream;
    const Sync* sync = SyncOf(call);
    if (sync == nullptr || !sync->stream.known()) return std::nullopt;
    return sync->stream;
  }

  void AddDependency(uint32_t work, uint32_t on) {
    if (work != kNoWork && on != kNoWork && work != on) {
      out_.dependencies.push_back({work, on});
    }
  }

  void StreamWaits(const Call& call) {
    const auto stream = StreamOf(call);
    if (!stream) return;
    AddDependency(queues_->FirstFrom(*stream, call.end_ns), WorkBehind(call));
  }

  // The first nodes follow what the launch's stream had before, what the
  // stream has next follows them all.
  void Replay(size_t index) {
    const Call& call = process_.calls[index];
    const auto found = replays_.find(index);
    const auto stream = StreamOf(call);
    if (found == replays_.end() || !stream) return;
    const uint32_t before = queues_->LastBefore(*stream, call.begin_ns);
    const uint32_t after = queues_->FirstFrom(*stream, call.end_ns);
    absl::flat_hash_map<StreamId, uint32_t> last_of_stream;
    for (const uint32_t node : found->second) {
      const StreamId of_node = process_.activities[node].stream;
      if (!of_node.known() || of_node == *stream) continue;
      const bool first = last_of_stream.insert_or_assign(of_node, node).second;
      if (first) AddDependency(node, before);
    }
    for (const auto& [of_node, last] : last_of_stream) {
      AddDependency(after, last);
    }
  }

  // A copy that was over when its call returned may be what the call waited
  // for.
  void HostCopies(size_t index) {
    const auto copy = copies_.find(index);
    if (copy == copies_.end()) return;
    out_.targets.push_back({CallId(index), copy->second});
  }

  void HostWaits(size_t index) {
    const Call& call = process_.calls[index];
    const Sync* sync = SyncOf(call);
    const bool by_event = handles_.EventOf(call) ||
                          (sync != nullptr && sync->kind == SyncKind::kEvent);
    if (by_event) {
      const uint32_t on = WorkBehind(call);
      if (on != kNoWork) out_.targets.push_back({CallId(index), on});
      return;
    }
    const auto stream = StreamOf(call);
    for (size_t s = 0; s < queues_->count(); ++s) {
      if (stream && *stream != StreamId(s)) continue;
      const uint32_t on = queues_->LastBefore(StreamId(s), call.begin_ns);
      if (on != kNoWork) out_.targets.push_back({CallId(index), on});
    }
  }

  const TraceModel& model_;
  const Process& process_;
  const StreamHandles handles_;
  std::optional<StreamQueues> queues_;
  absl::flat_hash_map<size_t, std::vector<uint32_t>> replays_;  // by call
  absl::flat_hash_map<size_t, uint32_t> copies_;                // by call
  absl::flat_hash_map<uint64_t, const Sync*> syncs_;  // by correlation
  absl::flat_hash_map<uint64_t, int64_t> recorded_;   // by correlation
  absl::flat_hash_map<int64_t, uint32_t> events_;     // by handle
  DeviceOrder out_;
};

}  // namespace

DeviceOrder OrderOf(const TraceModel& model, const Process& process,
                    const ProcessAttribution& attribution) {
  return OrderFinder(model, process, attribution).Run();
}

}  // namespace dltap::analyzer
