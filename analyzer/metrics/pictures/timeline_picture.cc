// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/pictures/timeline_picture.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/base/api_name.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/metrics/base/op_name.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostThreads = 12;

std::string_view MemoryName(MemoryKind kind) {
  constexpr std::string_view kNames[] = {"",       "pageable", "pinned",
                                         "device", "array",    "managed"};
  return kNames[static_cast<size_t>(kind)];
}

std::string CopyText(const Activity& activity) {
  std::string text = absl::StrCat(activity.bytes, " bytes");
  const std::string_view from = MemoryName(activity.source);
  const std::string_view to = MemoryName(activity.target);
  if (!from.empty()) text.append(", from ").append(from);
  if (!to.empty()) text.append(", to ").append(to);
  return text;
}

std::string LaunchText(const LaunchShape& shape) {
  const auto three = [](const std::array<uint32_t, 3>& of) {
    return absl::StrCat(of[0], "x", of[1], "x", of[2]);
  };
  if (shape.grid[0] == 0) return "";
  return absl::StrCat(
      "grid ", three(shape.grid), ", block ", three(shape.block), ", ",
      shape.registers_per_thread, " registers, ",
      shape.static_shared_bytes + shape.dynamic_shared_bytes, " bytes shared");
}

// Puts spans that are shorter than `resolution_ns` together with neighbours
// that are as near. The longest gives the name.
template <typename Raw>
void Thin(std::vector<Raw>& spans, int64_t resolution_ns) {
  size_t kept = 0;
  for (size_t i = 0; i < spans.size(); ++i) {
    const Raw& next = spans[i];
    if (kept > 0) {
      Raw& last = spans[kept - 1];
      const int64_t end = std::max(last.span.end_ns, next.span.end_ns);
      const bool short_ones = next.span.length_ns() < resolution_ns &&
                              last.longest_ns < resolution_ns;
      if (short_ones && end - last.span.begin_ns < 2 * resolution_ns) {
        last.span.end_ns = end;
        last.count += next.count;
        if (next.longest_ns > last.longest_ns) {
          last.longest_ns = next.longest_ns;
          last.index = next.index;
        }
        continue;
      }
    }
    spans[kept++] = next;
  }
  spans.resize(kept);
}

}  // namespace

TimelineDrawer::TimelineDrawer(const TraceModel& model, const DeviceView& view,
                               const std::vector<Gap>& gaps,
                               PictureTexts& texts)
    : model_(model), view_(view), gaps_(gaps), texts_(texts) {}

void TimelineDrawer::AddStreams(Interval window, Interval& extent,
                                std::vector<RawLane>& lanes) const {
  const Process& process = view_.process;
  std::map<size_t, RawLane> streams;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    if (activity.begin_ns >= window.end_ns) break;
    const Interval span{activity.begin_ns, activity.end_ns};
    if (activity.device != view_.device || span.end_ns < window.begin_ns) {
      continue;
    }
    const size_t stream = activity.stream.known() ? activity.stream.value()
                                                  : process.streams.size();
    RawLane& lane = streams[stream];
    lane.kind = LaneKind::kStream;
    lane.id = stream;
    lane.spans.push_back({span, i, 1, span.length_ns()});
    const CallId call = view_.attribution.activities[i].submitted_by;
    if (!call.known()) continue;
    // Work that was queued long ago does not stretch the picture.
    const int64_t begin_ns = process.calls[call.value()].begin_ns;
    if (begin_ns < window.begin_ns - window.length_ns()) continue;
    extent.begin_ns = std::min(extent.begin_ns, begin_ns);
  }
  for (auto& [stream, lane] : streams) lanes.push_back(std::move(lane));
}

void TimelineDrawer::AddThreads(Interval extent,
                                std::vector<RawLane>& lanes) const {
  const Process& process = view_.process;
  std::map<size_t, RawLane> threads;
  for (size_t i = 0; i < process.calls.size(); ++i) {
    if (view_.attribution.outermost[i] != CallId(i)) continue;
    const Call& call = process.calls[i];
    if (call.begin_ns >= extent.end_ns || call.end_ns < extent.begin_ns) {
      continue;
    }
    RawLane& lane = threads[call.thread.value()];
    lane.kind = LaneKind::kThread;
    lane.id = call.thread.value();
    const Interval span{call.begin_ns, call.end_ns};
    lane.spans.push_back({span, i, 1, span.length_ns()});
  }
  std::vector<RawLane> busiest;
  for (auto& [thread, lane] : threads) busiest.push_back(std::move(lane));
  std::stable_sort(busiest.begin(), busiest.end(),
                   [](const RawLane& a, const RawLane& b) {
                     return a.spans.size() > b.spans.size();
                   });
  busiest.resize(std::min(busiest.size(), kMostThreads));
  for (RawLane& lane : busiest) lanes.push_back(std::move(lane));
}

void TimelineDrawer::AddGaps(Interval window,
                             std::vector<RawLane>& lanes) const {
  RawLane lane{LaneKind::kIdle, 0, {}};
  for (size_t i = 0; i < gaps_.size(); ++i) {
    if (CommonNs(gaps_[i].span, window) <= 0) continue;
    lane.spans.push_back({gaps_[i].span, i, 1, gaps_[i].span.length_ns()});
  }
  if (!lane.spans.empty()) lanes.push_back(std::move(lane));
}

std::vector<TimelineDrawer::RawLane> TimelineDrawer::Lanes(
    Interval window, Interval& extent) const {
  std::vector<RawLane> lanes;
  AddGaps(window, lanes);
  AddStreams(window, extent, lanes);
  AddThreads(extent, lanes);
  return lanes;
}

TimelinePicture TimelineDrawer::Draw(Interval window, size_t most_spans) {
  TimelinePicture out;
  out.window = window;
  out.extent = window;
  std::vector<RawLane> lanes = Lanes(window, out.extent);
  const auto count = [&] {
    size_t spans = 0;
    for (const RawLane& lane : lanes) spans += lane.spans.size();
    return spans;
  };
  const size_t all = count();
  for (int64_t resolution_ns = 1 + out.extent.length_ns() / 100'000;
       count() > most_spans && resolution_ns < out.extent.length_ns();
       resolution_ns *= 2) {
    for (RawLane& lane : lanes) Thin(lane.spans, resolution_ns);
  }
  out.together = all - count();
  for (const RawLane& lane : lanes) out.lanes.push_back(Named(lane));
  return out;
}

PictureLane TimelineDrawer::Named(const RawLane& lane) {
  PictureLane out{lane.kind, NameOf(lane), {}};
  for (const Raw& raw : lane.spans) {
    PictureSpan span = lane.kind == LaneKind::kStream   ? NamedActivity(raw)
                       : lane.kind == LaneKind::kThread ? NamedCall(raw)
                                                        : NamedGap(raw);
    span.begin_ns = raw.span.begin_ns;
    span.end_ns = raw.span.end_ns;
    span.count = static_cast<uint32_t>(raw.count);
    if (raw.count > 1) span.call = 0;
    out.spans.push_back(span);
  }
  return out;
}

std::string TimelineDrawer::NameOf(const RawLane& lane) const {
  if (lane.kind == LaneKind::kIdle) return "idle";
  if (lane.kind == LaneKind::kStream) {
    if (lane.id >= view_.process.streams.size()) return "stream ?";
    return absl::StrCat("stream ", view_.process.streams[lane.id].number);
  }
  const Thread& thread = view_.process.threads[lane.id];
  const std::string tid = absl::StrCat(thread.tid);
  if (thread.name.empty()) return "thread " + tid;
  // Imported names hold it already.
  const bool has_tid = thread.name.find(tid) != std::string::npos;
  return has_tid ? thread.name : thread.name + " " + tid;
}

uint32_t TimelineDrawer::KernelName(TextId name) {
  const auto [it, is_new] = kernel_names_.try_emplace(name, 0);
  if (is_new) {
    it->second = texts_.NumberOf(name.known() ? Demangle(model_.texts[name])
                                              : std::string("?"));
  }
  return it->second;
}

std::string TimelineDrawer::DetailOf(size_t index) const {
  const Activity& activity = view_.process.activities[index];
  std::string text = OpName(
      model_, IdentityOf(model_, view_.process, view_.attribution, index));
  std::string size;
  if (activity.kind != ActivityKind::kKernel) {
    size = CopyText(activity);
  } else if (activity.shape < view_.process.launch_shapes.size()) {
    size = LaunchText(view_.process.launch_shapes[activity.shape]);
  }
  if (!text.empty() && !size.empty()) text += "\n";
  return text + size;
}

PictureSpan TimelineDrawer::NamedActivity(const Raw& raw) {
  const Activity& activity = view_.process.activities[raw.index];
  const Attributed& attributed = view_.attribution.activities[raw.index];
  PictureSpan span{};
  span.name = activity.kind == ActivityKind::kKernel
                  ? KernelName(activity.name)
                  : texts_.NumberOf(NameOfCopy(activity));
  span.detail = texts_.NumberOf(DetailOf(raw.index));
  span.kind = static_cast<uint8_t>(attributed.layer_class);
  const CallId call = attributed.submitted_by;
  if (call.known()) {
    const CallId outermost = view_.attribution.outermost[call.value()];
    span.call = static_cast<uint32_t>(outermost.value()) + 1;
  }
  return span;
}

PictureSpan TimelineDrawer::NamedCall(const Raw& raw) {
  const Call& call = view_.process.calls[raw.index];
  PictureSpan span{};
  span.name = texts_.NumberOf(ApiName(model_.entry_points[call.entry.value()]));
  if (call.function.known()) span.detail = KernelName(call.function);
  span.call = static_cast<uint32_t>(raw.index) + 1;
  return span;
}

PictureSpan TimelineDrawer::NamedGap(const Raw& raw) {
  const Gap& gap = gaps_[raw.index];
  PictureSpan span{};
  const auto largest = std::max_element(gap.ns.begin(), gap.ns.end());
  span.kind = static_cast<uint8_t>(largest - gap.ns.begin());
  span.name = texts_.NumberOf(Name(static_cast<IdleCause>(span.kind)));
  std::string detail;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    if (gap.ns[i] == 0) continue;
    if (!detail.empty()) detail += "\n";
    detail.append(Name(static_cast<IdleCause>(i)));
    absl::StrAppend(&detail, " ", gap.ns[i], " ns");
  }
  span.detail = texts_.NumberOf(detail);
  return span;
}

}  // namespace dltap::analyzer
