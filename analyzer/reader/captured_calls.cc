// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/captured_calls.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/model/event_source.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

using specs::Kind;

class CapturedCalls {
 public:
  CapturedCalls(const TraceModel& model, Process& process)
      : model_(model), process_(process) {
    for (const EntryPoint& entry : model.entry_points) {
      const auto stream =
          std::ranges::find(entry.args, Meaning::kStream, &ArgLayout::meaning);
      stream_arg_.push_back(stream - entry.args.begin());
      kinds_.push_back(entry.info == nullptr ? Kind::kOther : entry.info->kind);
    }
  }

  void Mark() {
    FindNodes();
    FindCaptures();
    if (nodes_.empty() && captures_.empty()) return;
    bool inside = false;  // a call that is captured
    for (Call& call : process_.calls) {
      if (call.depth == 0) inside = IsCaptured(call);
      call.capturing = call.capturing || inside;
    }
  }

 private:
  Kind KindOf(const Call& call) const { return kinds_[call.entry.value()]; }

  std::optional<int64_t> StreamOf(const Call& call) const {
    const size_t entry = call.entry.value();
    return IntArg(model_.entry_points[entry], process_, call,
                  stream_arg_[entry]);
  }

  // Of calls that made one; clones have none.
  void FindNodes() {
    for (const GraphNodeOrigin& node : process_.graph_nodes) {
      if (node.original_node != 0 || node.call_begin_ticks == 0) continue;
      nodes_.insert({node.thread, node.call_begin_ticks});
      first_ticks_ = std::min(first_ticks_, node.call_begin_ticks);
      last_ticks_ = std::max(last_ticks_, node.call_begin_ticks);
    }
  }

  void FindCaptures() {
    std::vector<const Call*> ends;
    for (const Call& call : process_.calls) {
      const Kind kind = KindOf(call);
      if (kind != Kind::kCaptureBegin && kind != Kind::kCaptureEnd) continue;
      ends.push_back(&call);
    }
    std::ranges::stable_sort(ends, {}, &Call::begin_ns);
    for (const Call* call : ends) {
      const auto stream = StreamOf(*call);
      if (!stream) continue;
      if (KindOf(*call) == Kind::kCaptureEnd) {
        const auto open = captures_.find(*stream);
        if (open != captures_.end()) {
          open->second.back().end_ns = call->begin_ns;
        }
      } else if (!call->failed) {
        constexpr int64_t kOpen = std::numeric_limits<int64_t>::max();
        captures_[*stream].push_back({call->end_ns, kOpen});
        first_ns_ = std::min(first_ns_, call->end_ns);
      }
    }
    for (const auto& [stream, captures] : captures_) {
      last_ns_ = std::max(last_ns_, captures.back().end_ns);
    }
  }

  // Hot path: most programs capture at their start and then replay.
  bool IsCaptured(const Call& call) const {
    const bool made_node = call.begin_ticks >= first_ticks_ &&
                           call.begin_ticks <= last_ticks_ &&
                           nodes_.contains({call.thread, call.begin_ticks});
    return (made_node || IsInCapturedStream(call)) && !BuildsGraphs(call);
  }

  // Also replays: the nodes that these make are not their own work.
  bool BuildsGraphs(const Call& call) const {
    switch (KindOf(call)) {
      case Kind::kGraphLaunch:
      case Kind::kCaptureBegin:
      case Kind::kCaptureEnd:
      case Kind::kGraphInstantiate:
      case Kind::kGraphEdit: return true;
      default: return false;
    }
  }

  bool IsInCapturedStream(const Call& call) const {
    if (call.begin_ns < first_ns_ || call.begin_ns > last_ns_) return false;
    const auto stream = StreamOf(call);
    const auto found = stream ? captures_.find(*stream) : captures_.end();
    return found != captures_.end() &&
           std::ranges::any_of(found->second, [&](const TimePart& capture) {
             return capture.Holds(call.begin_ns);
           });
  }

  const TraceModel& model_;
  Process& process_;
  std::vector<size_t> stream_arg_;  // by entry point
  std::vector<Kind> kinds_;         // the same
  absl::flat_hash_set<std::pair<ThreadId, uint64_t>> nodes_;
  uint64_t first_ticks_ = std::numeric_limits<uint64_t>::max();
  uint64_t last_ticks_ = 0;
  absl::flat_hash_map<int64_t, std::vector<TimePart>> captures_;  // by stream
  int64_t first_ns_ = std::numeric_limits<int64_t>::max();
  int64_t last_ns_ = std::numeric_limits<int64_t>::min();
};

}  // namespace

void MarkCapturedCalls(const TraceModel& model, Process& process) {
  CapturedCalls(model, process).Mark();
}

}  // namespace dltap::analyzer
