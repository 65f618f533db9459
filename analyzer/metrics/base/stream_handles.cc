// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/stream_handles.h"

#include <algorithm>

#include "analyzer/model/nearly_sorted.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

size_t PlaceOf(const EntryPoint& entry, Meaning meaning) {
  const auto found = std::find_if(
      entry.args.begin(), entry.args.end(),
      [meaning](const ArgLayout& a) { return a.meaning == meaning; });
  return found - entry.args.begin();
}

template <typename Map>
void SortUses(Map& map) {
  for (auto& [key, uses] : map) {
    SortNearlySorted(
        uses, [](const auto& a, const auto& b) { return a.first < b.first; });
  }
}

}  // namespace

StreamHandles::StreamHandles(const TraceModel& model, const Process& process,
                             const ProcessAttribution& attribution)
    : model_(model), process_(process) {
  for (const EntryPoint& entry : model.entry_points) {
    stream_arg_.push_back(PlaceOf(entry, Meaning::kStream));
    event_arg_.push_back(PlaceOf(entry, Meaning::kEvent));
  }
  FindStreams(attribution);
  const bool any_several =
      std::any_of(streams_.begin(), streams_.end(),
                  [](const auto& stream) { return !stream.second.known(); });
  if (!any_several) return;
  FindUses(attribution);
  SortUses(uses_);
  SortUses(thread_uses_);
}

// Most activities are in the stream of the one before.
void StreamHandles::FindStreams(const ProcessAttribution& attribution) {
  std::optional<std::pair<int64_t, StreamId>> last;
  VisitUses(attribution, [&](int64_t handle, const Call&, StreamId stream) {
    if (last == std::pair(handle, stream)) return;
    last = {handle, stream};
    const auto [it, is_new] = streams_.try_emplace(handle, stream);
    if (it->second != stream) it->second = StreamId();
  });
}

void StreamHandles::FindUses(const ProcessAttribution& attribution) {
  std::optional<std::pair<int64_t, ThreadId>> last;
  Uses* uses = nullptr;  // of the last one; null: its handle is one stream
  Uses* thread_uses = nullptr;
  VisitUses(attribution,
            [&](int64_t handle, const Call& call, StreamId stream) {
              if (last != std::pair(handle, call.thread)) {
                last = {handle, call.thread};
                const bool several = !streams_[handle].known();
                uses = several ? &uses_[handle] : nullptr;
                thread_uses = several ? &thread_uses_[*last] : nullptr;
              }
              if (uses == nullptr) return;
              uses->emplace_back(call.begin_ns, stream);
              thread_uses->emplace_back(call.begin_ns, stream);
            });
}

template <typename Visit>
void StreamHandles::VisitUses(const ProcessAttribution& attribution,
                              Visit visit) const {
  for (size_t i = 0; i < process_.activities.size(); ++i) {
    const Activity& activity = process_.activities[i];
    const CallId id = attribution.activities[i].submitted_by;
    if (!id.known() || !activity.stream.known() || activity.graph_node != 0) {
      continue;
    }
    const Call& call = process_.calls[id.value()];
    const auto handle = ArgOf(call, stream_arg_);
    if (handle) visit(*handle, call, activity.stream);
  }
}

std::optional<int64_t> StreamHandles::ArgOf(
    const Call& call, const std::vector<size_t>& places) const {
  const size_t entry = call.entry.value();
  return IntArg(model_.entry_points[entry], process_, call, places[entry]);
}

std::optional<StreamId> StreamHandles::StreamOf(const Call& call) const {
  const auto handle = ArgOf(call, stream_arg_);
  if (!handle) return std::nullopt;
  const auto only = streams_.find(*handle);
  if (only == streams_.end()) return std::nullopt;
  if (only->second.known()) return only->second;
  const auto of_thread = thread_uses_.find({*handle, call.thread});
  const Uses& uses = of_thread == thread_uses_.end()
                         ? uses_.find(*handle)->second
                         : of_thread->second;
  const auto after = std::upper_bound(
      uses.begin(), uses.end(), call.begin_ns,
      [](int64_t at, const auto& use) { return at < use.first; });
  const auto* info = model_.entry_points[call.entry.value()].info;
  const bool is_told_to_wait =
      info != nullptr && info->kind == specs::Kind::kEventWait;
  if (after == uses.begin()) return after->second;
  if (is_told_to_wait && after != uses.end()) return after->second;
  return std::prev(after)->second;
}

std::optional<int64_t> StreamHandles::EventOf(const Call& call) const {
  return ArgOf(call, event_arg_);
}

}  // namespace dltap::analyzer
