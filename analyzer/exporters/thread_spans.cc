// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/thread_spans.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dltap::analyzer {
namespace {

// Events of a thread stand together, by begin.
template <typename Event>
std::pair<size_t, size_t> OfThread(const std::vector<Event>& events,
                                   ThreadId thread) {
  const auto before = [](const Event& event, ThreadId of) {
    return event.thread < of;
  };
  const auto after = [](ThreadId of, const Event& event) {
    return of < event.thread;
  };
  return {std::lower_bound(events.begin(), events.end(), thread, before) -
              events.begin(),
          std::upper_bound(events.begin(), events.end(), thread, after) -
              events.begin()};
}

std::string_view NameOf(RangeKind kind) {
  switch (kind) {
    case RangeKind::kNvtx: return "nvtx";
    case RangeKind::kStep: return "step";
    case RangeKind::kFrameworkOp: return "operator";
    case RangeKind::kUserAnnotation: return "user";
    case RangeKind::kPython: return "python";
    case RangeKind::kDataLoader: break;
  }
  return "dataloader";
}

}  // namespace

std::vector<ThreadSpan> ThreadSpansOf(const ExportInput& input,
                                      const Process& process, ThreadId thread) {
  std::vector<ThreadSpan> spans;
  const auto ranges = OfThread(process.ranges, thread);
  for (size_t i = ranges.first; i < ranges.second; ++i) {
    const Range& range = process.ranges[i];
    if (!input.Wants(range)) continue;
    spans.push_back({range.begin_ns, range.end_ns, CallId(), RangeId(i)});
  }
  const auto calls = OfThread(process.calls, thread);
  for (size_t i = calls.first; i < calls.second; ++i) {
    const Call& call = process.calls[i];
    if (!input.Wants(call)) continue;
    spans.push_back({call.begin_ns, call.end_ns, CallId(i), RangeId()});
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const ThreadSpan& a, const ThreadSpan& b) {
                     return std::tuple(a.begin_ns, -a.end_ns) <
                            std::tuple(b.begin_ns, -b.end_ns);
                   });
  return spans;
}

std::string_view NameOf(const TraceModel& model, const Process& process,
                        const ThreadSpan& span) {
  if (span.range.known()) {
    return model.texts[process.ranges[span.range.value()].name];
  }
  const Call& call = process.calls[span.call.value()];
  return ApiName(model.entry_points[call.entry.value()]);
}

std::string_view CategoryOf(const TraceModel& model, const Process& process,
                            const ThreadSpan& span) {
  if (span.range.known()) {
    return NameOf(process.ranges[span.range.value()].kind);
  }
  const Call& call = process.calls[span.call.value()];
  return LibraryOf(model.entry_points[call.entry.value()]);
}

}  // namespace dltap::analyzer
