// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/stream_handles.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

size_t PlaceOf(const EntryPoint& entry, Meaning meaning) {
  const auto found = std::find_if(
      entry.args.begin(), entry.args.end(),
      [meaning](const ArgLayout& a) { return a.meaning == meaning; });
  return found - entry.args.begin();
}

}  // namespace

StreamHandles::StreamHandles(const TraceModel& model, const Process& process,
                             const ProcessAttribution& attribution)
    : model_(model), process_(process) {
  for (const EntryPoint& entry : model.entry_points) {
    stream_arg_.push_back(PlaceOf(entry, Meaning::kStream));
    event_arg_.push_back(PlaceOf(entry, Meaning::kEvent));
  }
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const CallId id = attribution.activities[i].submitted_by;
    if (!id.known() || !activity.stream.known() || activity.graph_node != 0) {
      continue;
    }
    const Call& call = process.calls[id.value()];
    const auto handle = ArgOf(call, stream_arg_);
    if (!handle) continue;
    auto& known = streams_[*handle];
    if (known.empty() || known.back().second != activity.stream) {
      known.emplace_back(call.begin_ns, activity.stream);
    }
  }
  for (auto& [handle, known] : streams_) {
    std::stable_sort(
        known.begin(), known.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
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
  const auto found = streams_.find(*handle);
  if (found == streams_.end()) return std::nullopt;
  const auto& known = found->second;
  const auto after = std::upper_bound(
      known.begin(), known.end(), call.begin_ns,
      [](int64_t at, const auto& since) { return at < since.first; });
  return after == known.begin() ? known.front().second
                                : std::prev(after)->second;
}

std::optional<int64_t> StreamHandles::EventOf(const Call& call) const {
  return ArgOf(call, event_arg_);
}

}  // namespace dltap::analyzer
