// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/gap_explainer.h"

#include <algorithm>
#include <cmath>

#include "analyzer/metrics/windows/device_timeline.h"
#include "analyzer/model/near_search.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kShortGapNs = 2'000;
// What lies beyond this after the submitting call returned is no launch
// latency any more: the activity waited for something.
constexpr int64_t kMaxLatencyNs = 20'000;

int64_t& At(Gap& gap, IdleCause cause) {
  return gap.ns[static_cast<size_t>(cause)];
}

IdleCause CauseOf(HostState state) {
  switch (state) {
    case HostState::kWait: return IdleCause::kWait;
    case HostState::kLibrary: return IdleCause::kLibrary;
    default: return IdleCause::kLaunch;
  }
}

bool IsSmall(const Attributed& attributed) {
  return attributed.glue != Glue::kNone ||
         IsCopyOrMemset(attributed.layer_class);
}

Interval Intersection(Interval a, Interval b) {
  return {std::max(a.begin_ns, b.begin_ns), std::min(a.end_ns, b.end_ns)};
}

// Whether any of the times, which are in order, lies in [begin_ns, end_ns).
bool AnyBetween(const std::vector<int64_t>& times, int64_t begin_ns,
                int64_t end_ns, size_t& near) {
  near = FirstFrom(times.size(), near,
                   [&](size_t i) { return times[i] < begin_ns; });
  return near < times.size() && times[near] < end_ns;
}

}  // namespace

GapExplainer::GapExplainer(const Process& process,
                           const ProcessAttribution& attribution,
                           const HostView& host, DeviceId device)
    : process_(process),
      attribution_(attribution),
      short_gap_ns_(std::max(kShortGapNs, 2 * process.clock_residual_ns)),
      host_(host),
      inputs_(host.inputs()),
      ranges_(process),
      has_looks_(process.threads.size()),
      feeder_has_looks_(host.feeders().count()) {
  has_operators_ = std::ranges::any_of(process.ranges, [](const Range& range) {
    return range.kind == RangeKind::kFrameworkOp;
  });
  for (const FramesSeen& seen : process.frames_seen) {
    has_looks_[seen.thread.value()] = true;
    const size_t feeder = host.feeders().OfThread(seen.thread);
    if (feeder != Feeders::kNoFeeder) feeder_has_looks_[feeder] = true;
  }
  large_begins_.reserve(process.activities.size());
  by_begin_.reserve(process.activities.size());
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    if (activity.device != device) continue;
    const Attributed& attributed = attribution.activities[i];
    if (!IsSmall(attributed)) large_begins_.push_back(activity.begin_ns);
    if (!attributed.submitted_by.known()) continue;
    const Call& call = process.calls[attributed.submitted_by.value()];
    if (activity.begin_ns - call.end_ns > kMaxLatencyNs) {
      queued_begins_.push_back(activity.begin_ns);
    }
    if (host_.feeders().Computes(host_.feeders().OfThread(call.thread))) {
      by_begin_.push_back(i);
    }
  }
}

// The call whose lateness the gap shows: the one that submitted what ends it,
// or, after a copy that a thread of its own made ahead and no step waits for,
// the next one of a thread that computes.
std::optional<CallId> GapExplainer::ExplainingCall(const Gap& gap) const {
  if (gap.ended_by == kNoActivity) return std::nullopt;
  const CallId id = attribution_.activities[gap.ended_by].submitted_by;
  if (!id.known()) return std::nullopt;
  const Call& call = process_.calls[id.value()];
  if (host_.feeders().Computes(host_.feeders().OfThread(call.thread)))
    return id;
  const auto input = std::lower_bound(
      inputs_.begin(), inputs_.end(), call.begin_ns,
      [](const Interval& i, int64_t at) { return i.end_ns < at; });
  if (input != inputs_.end() && input->begin_ns < call.begin_ns) return id;
  const auto next =
      std::lower_bound(by_begin_.begin(), by_begin_.end(), gap.span.end_ns,
                       [this](size_t activity, int64_t at) {
                         return process_.activities[activity].begin_ns < at;
                       });
  return next == by_begin_.end() ? id
                                 : attribution_.activities[*next].submitted_by;
}

void GapExplainer::Explain(Gap& gap) {
  const std::optional<CallId> id = ExplainCauses(gap);
  if (!id) return;
  if (gap.host_ns > 0) {
    const Call& call = process_.calls[id->value()];
    FindDrain(gap, host_.Of(host_.feeders().OfThread(call.thread)), *id);
  }
  last_end_ns_ = gap.span.end_ns;
  last_drained_by_ = gap.drained_by;
  last_drained_in_ = gap.drained_in;
}

std::optional<CallId> GapExplainer::ExplainCauses(Gap& gap) {
  if (gap.span.length_ns() < short_gap_ns_) {
    At(gap, IdleCause::kLatency) = gap.span.length_ns();
    return std::nullopt;
  }
  const std::optional<CallId> id = ExplainingCall(gap);
  if (!id) {
    At(gap, IdleCause::kUnknown) = gap.span.length_ns();
    return std::nullopt;
  }
  const Call& call = process_.calls[id->value()];
  const int64_t submitted =
      std::clamp(call.end_ns, gap.span.begin_ns, gap.span.end_ns);
  gap.host_ns = submitted - gap.span.begin_ns;
  if (gap.host_ns > 0) ExplainHost(gap, call, {gap.span.begin_ns, submitted});
  ExplainDevice(gap, {submitted, gap.span.end_ns});
  return id;
}

void GapExplainer::ExplainHost(Gap& gap, const Call& call, Interval host) {
  const FeederView& view = host_.Of(host_.feeders().OfThread(call.thread));
  const auto& spans = view.timeline.spans;
  // A copy of the input from pageable memory waits for its data.
  Interval feeding{host.end_ns, host.end_ns};
  if (process_.activities[gap.ended_by].source == MemoryKind::kPageable) {
    for (auto it = std::lower_bound(
             inputs_.begin(), inputs_.end(), call.begin_ns,
             [](const Interval& i, int64_t at) { return i.end_ns <= at; });
         it != inputs_.end() && it->begin_ns <= call.begin_ns; ++it) {
      feeding = Intersection(host, {call.begin_ns, call.end_ns});
    }
  }
  int64_t at = host.begin_ns;
  near_span_ = FirstFrom(spans.size(), near_span_,
                         [&](size_t i) { return spans[i].span.end_ns <= at; });
  for (auto it = spans.begin() + static_cast<ptrdiff_t>(near_span_);
       it != spans.end() && it->span.begin_ns < host.end_ns; ++it) {
    const Interval inside = Intersection(it->span, host);
    ExplainBetween(gap, view, call.thread, {at, inside.begin_ns});
    const int64_t fed =
        std::max<int64_t>(0, Intersection(inside, feeding).length_ns());
    At(gap, IdleCause::kInput) += fed;
    const int64_t preempted =
        fed > 0 || it->state == HostState::kWait
            ? 0
            : std::min(inside.length_ns(), view.cpu.PreemptedIn(inside, near_));
    At(gap, IdleCause::kPreempted) += preempted;
    At(gap, CauseOf(it->state)) += inside.length_ns() - fed - preempted;
    at = inside.end_ns;
  }
  ExplainBetween(gap, view, call.thread, {at, host.end_ns});
  LookAtFrames(gap, view, call.thread, host);
  SubtractProfiler(gap, view, host);
}

void GapExplainer::ExplainBetween(Gap& gap, const FeederView& view,
                                  ThreadId thread, Interval part) {
  near_input_ = FirstFrom(inputs_.size(), near_input_, [&](size_t i) {
    return inputs_[i].end_ns <= part.begin_ns;
  });
  auto input = inputs_.begin() + static_cast<ptrdiff_t>(near_input_);
  int64_t at = part.begin_ns;
  for (; input != inputs_.end() && input->begin_ns < part.end_ns; ++input) {
    const Interval inside = Intersection(*input, part);
    ExplainOutsideInput(gap, view, thread, {at, inside.begin_ns});
    At(gap, IdleCause::kInput) += inside.length_ns();
    at = inside.end_ns;
  }
  ExplainOutsideInput(gap, view, thread, {at, part.end_ns});
}

void GapExplainer::ExplainOutsideInput(Gap& gap, const FeederView& view,
                                       ThreadId thread, Interval part) {
  if (part.length_ns() <= 0) return;
  const std::optional<CpuSplit> split = view.cpu.Split(part, near_);
  if (!split) {
    At(gap, IdleCause::kUnknown) += part.length_ns();
    NameUnknown(gap, thread, part);
    return;
  }
  // Both may be rounded up, but not beyond the part.
  const int64_t running =
      std::min<int64_t>(std::llround(split->running_ns), part.length_ns());
  const int64_t preempted = std::min<int64_t>(std::llround(split->preempted_ns),
                                              part.length_ns() - running);
  const int64_t rest = part.length_ns() - running - preempted;
  const int64_t unknown =
      std::min<int64_t>(std::llround(split->unknown_ns), rest);
  At(gap, IdleCause::kFramework) += running;
  At(gap, IdleCause::kPreempted) += preempted;
  At(gap, IdleCause::kUnknown) += unknown;
  At(gap, IdleCause::kBlocked) += rest - unknown;
}

// The innermost ranges along the part; where the thread is in none, those of
// the threads with which it takes turns.
void GapExplainer::NameUnknown(Gap& gap, ThreadId thread, Interval part) const {
  if (process_.ranges.empty()) return;
  std::vector<Interval> left = NameParts(gap, thread, {part});
  const size_t feeder = host_.feeders().OfThread(thread);
  for (const ThreadId other : host_.feeders().ThreadsOf(feeder)) {
    if (other != thread) left = NameParts(gap, other, left);
  }
  if (!has_operators_) return;
  for (const Interval& in_none : left) {
    gap.unknown_in.emplace_back(TextId(), in_none.length_ns());
  }
}

std::vector<Interval> GapExplainer::NameParts(
    Gap& gap, ThreadId thread, const std::vector<Interval>& parts) const {
  std::vector<Interval> left;
  for (const Interval& part : parts) {
    int64_t at = part.begin_ns;
    ranges_.ForEachInnermost(
        thread, part.begin_ns, part.end_ns,
        [&](RangeId range, int64_t begin_ns, int64_t end_ns) {
          const Range& inside = process_.ranges[range.value()];
          if (inside.kind == RangeKind::kStep) return;  // holds all of it
          gap.unknown_in.emplace_back(inside.name, end_ns - begin_ns);
          if (begin_ns > at) left.push_back({at, begin_ns});
          at = end_ns;
        });
    if (part.end_ns > at) left.push_back({at, part.end_ns});
  }
  return left;
}

bool GapExplainer::IsInput(int64_t at_ns) const {
  const auto input = std::upper_bound(
      inputs_.begin(), inputs_.end(), at_ns,
      [](int64_t at, const Interval& i) { return at < i.end_ns; });
  return input != inputs_.end() && input->begin_ns <= at_ns;
}

// Whether what runs on one thread tells why another is late. A thread without
// Python works for those with whom it takes turns (autograd's), or, if it only
// copies, for those that compute (JAX's).
bool GapExplainer::Shows(ThreadId looked_at, ThreadId submits) const {
  if (has_looks_[submits.value()]) return looked_at == submits;
  const Feeders& feeders = host_.feeders();
  const size_t feeder = feeders.OfThread(looked_at);
  const size_t late = feeders.OfThread(submits);
  if (feeder == Feeders::kNoFeeder || late == Feeders::kNoFeeder) return false;
  return feeder_has_looks_[late] ? feeder == late : feeders.Computes(feeder);
}

void GapExplainer::LookAtFrames(Gap& gap, const FeederView& view,
                                ThreadId thread, Interval host) {
  const std::vector<FramesSeen>& seen = process_.frames_seen;
  near_look_ = FirstFrom(seen.size(), near_look_, [&](size_t i) {
    return seen[i].at_ns < host.begin_ns;
  });
  const auto& spans = view.timeline.spans;
  auto span = spans.begin() + static_cast<ptrdiff_t>(near_span_);
  for (size_t i = near_look_; i < seen.size() && seen[i].at_ns < host.end_ns;
       ++i) {
    if (!Shows(seen[i].thread, thread)) continue;
    const int64_t at_ns = seen[i].at_ns;
    while (span != spans.end() && span->span.end_ns <= at_ns) ++span;
    SeenIn in = IsInput(at_ns) ? SeenIn::kInput : SeenIn::kBetweenCalls;
    if (span != spans.end() && span->span.begin_ns <= at_ns) {
      in = span->state == HostState::kWait ? SeenIn::kWait : SeenIn::kCall;
    }
    gap.looks.push_back({in, seen[i].site});
  }
}

// Our own cost is taken out of the largest host causes.
void GapExplainer::SubtractProfiler(Gap& gap, const FeederView& view,
                                    Interval host) {
  if (process_.per_call_overhead_ns <= 0) return;
  const auto& begins = view.timeline.call_begins;
  const auto first_from = [&](int64_t at_ns) {
    near_begin_ = FirstFrom(begins.size(), near_begin_,
                            [&](size_t i) { return begins[i] < at_ns; });
    return static_cast<int64_t>(near_begin_);
  };
  const int64_t first = first_from(host.begin_ns);
  const int64_t calls = first_from(host.end_ns) - first;
  const int64_t most = host.length_ns() / process_.per_call_overhead_ns;
  int64_t left =
      calls > most ? host.length_ns() : calls * process_.per_call_overhead_ns;
  At(gap, IdleCause::kProfiler) = left;
  while (left > 0) {
    const auto largest = std::max_element(
        gap.ns.begin(),
        gap.ns.begin() + static_cast<size_t>(IdleCause::kProfiler));
    const int64_t taken = std::min(left, *largest);
    if (taken <= 0) break;
    *largest -= taken;
    left -= taken;
  }
}

void GapExplainer::ExplainDevice(Gap& gap, Interval device) const {
  if (device.length_ns() <= 0) return;
  const bool waited = device.length_ns() > kMaxLatencyNs;
  At(gap, waited ? IdleCause::kDependency : IdleCause::kLatency) +=
      device.length_ns();
}

bool GapExplainer::OnlySmallWork(int64_t begin_ns, int64_t end_ns) {
  return !AnyBetween(large_begins_, begin_ns, end_ns, near_large_);
}

// Whether work was submitted so early that the device was busy with other work.
bool GapExplainer::RanAhead(int64_t begin_ns, int64_t end_ns) {
  return AnyBetween(queued_begins_, begin_ns, end_ns, near_queued_);
}

// The last wait that was open when the device ran out of work, or returned
// later. What drained the queue holds on until the host has run ahead again,
// but for no more time than the host lost in that wait: beyond it, it would not
// have run ahead either. Fills and copies in between change nothing.
void GapExplainer::FindDrain(Gap& gap, const FeederView& view, CallId id) {
  const Call& call = process_.calls[id.value()];
  const auto& waits = view.timeline.waits;
  near_wait_ = FirstFrom(waits.size(), near_wait_, [&](size_t i) {
    return waits[i].span.begin_ns <= call.begin_ns;
  });
  auto it = waits.begin() + static_cast<ptrdiff_t>(near_wait_);
  // Waits of one thread don't overlap; those of a feeder's few may.
  for (int looked = 0; it != waits.begin() && looked < 8; ++looked) {
    const Wait& wait = *--it;
    if (wait.span.end_ns <= gap.span.begin_ns) continue;
    // The submitting call itself drains what was there when it began.
    const bool begins_inside = wait.span.begin_ns >= gap.span.begin_ns;
    if (wait.call == id && begins_inside) continue;
    // An allocator that looks through its events waits for none of them.
    if (wait.queries && begins_inside) continue;
    gap.drained_by = wait.pageable ? DrainedBy::kPageable : DrainedBy::kSync;
    gap.drained_in = wait.call;
    lost_ns_ = wait.span.length_ns() - gap.host_ns;
    return;
  }
  if (!last_drained_in_.known()) return;
  const bool catches_up =
      lost_ns_ > 0 && !RanAhead(last_end_ns_, gap.span.begin_ns);
  if (!catches_up && !OnlySmallWork(last_end_ns_, gap.span.begin_ns)) return;
  gap.drained_by = last_drained_by_;
  gap.drained_in = last_drained_in_;
  lost_ns_ -= gap.host_ns;
}

FeedersWork GapExplainer::HostWork(
    const std::vector<StepWindow>& windows) const {
  FeedersWork out;
  const size_t feeder = host_.main_feeder();
  if (feeder == Feeders::kNoFeeder) return out;
  const FeederView& view = host_.Of(feeder);
  // Calls of fixed costs take no sleep along.
  const bool has_fixed_costs = process_.host_clock == HostClock::kFixedCosts;
  out.host_work_is_bound = !process_.has_cpu_samples && !has_fixed_costs;
  double work = 0;
  for (const StepWindow& window : windows) {
    const CpuUse::InputSamples input = view.cpu.InputSamplesIn(window.span);
    out.input_samples += input.all;
    out.input_runnable += input.runnable;
    out.cpu_samples += view.cpu.SamplesIn(window.span);
    std::optional<double> in_window = view.cpu.WorkIn(window.span);
    if (out.host_work_is_bound || has_fixed_costs) {
      in_window = static_cast<double>(window.span.length_ns());
      const auto& spans = view.timeline.spans;
      for (auto it = std::upper_bound(
               spans.begin(), spans.end(), window.span.begin_ns,
               [](int64_t t, const HostSpan& s) { return t < s.span.end_ns; });
           it != spans.end() && it->span.begin_ns < window.span.end_ns; ++it) {
        if (it->state != HostState::kWait) continue;
        *in_window -= static_cast<double>(
            Intersection(it->span, window.span).length_ns());
      }
    }
    if (!in_window) continue;
    work += *in_window;
    out.host_work_wall_ns += window.span.length_ns();
  }
  out.host_work_ns = std::llround(work);
  return out;
}

}  // namespace dltap::analyzer
