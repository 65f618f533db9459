// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/slices/step_slicer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/steps/warm_up.h"
#include "analyzer/metrics/windows/outside.h"
#include "analyzer/metrics/windows/step_choice.h"

namespace dltap::analyzer {
namespace {

// The part of a slice that the margin before it takes.
constexpr double kLeastMargin = 0.06;
constexpr double kMostMargin = 0.25;  // if it holds some steps

bool IsUsed(const Steps& steps, const StepWindow& window) {
  return steps.steps[window.step].use == StepUse::kUsed;
}

}  // namespace

StepSlicer::StepSlicer(EventSource& source, size_t process,
                       const AttributionOptions& options,
                       const Selection& selection, const SliceLimits& limits,
                       const std::function<void(double part)>& progress)
    : reader_(source, process, options, limits, progress),
      index_(process),
      selection_(selection),
      is_selected_(Selects(selection, source.model().processes[process])),
      limits_(limits) {}

bool StepSlicer::Fail(std::string why_not) {
  why_not_ = std::move(why_not);
  return false;
}

// What a step is used for may depend on all others: how long steps usually
// take, say. The slices go by those that they see. If that was wrong, they are
// counted once more.
std::optional<SlicedProcess> StepSlicer::Run() {
  if (!Pass()) return std::nullopt;
  std::vector<StepUse> uses = FinalUses();
  const auto differs = [&](size_t i) {
    return uses[i] != out_.steps.steps[i].use;
  };
  bool again = false;
  for (size_t i = 0; i < uses.size(); ++i) again |= differs(i);
  if (again) {
    known_ = std::move(uses);
    if (!Pass()) return std::nullopt;
  }
  if (has_other_reading_) {
    out_.steps.other_count = static_cast<uint64_t>(std::llround(other_count_));
  }
  if (collectives_) out_.collectives = collectives_->Take();
  return std::move(out_);
}

std::vector<StepUse> StepSlicer::FinalUses() const {
  Steps steps = out_.steps;
  for (size_t i = 0; i < found_.size(); ++i) steps.steps[i].use = found_[i];
  MarkWarmUp(steps);
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    StepUse& use = steps.steps[i].use;
    if (use == StepUse::kUsed) use = seen_[i];
  }
  KeepSelected(selection_, 0, steps);
  std::vector<StepUse> uses;
  uses.reserve(steps.steps.size());
  for (const Step& step : steps.steps) uses.push_back(step.use);
  return uses;
}

bool StepSlicer::Pass() {
  out_ = {};
  found_.clear();
  seen_.clear();
  const size_t devices = process().devices.size();
  out_.devices.resize(devices);
  out_.exposed.resize(devices);
  collectives_.emplace(reader_.model(), index_);
  other_count_ = 0;
  has_other_reading_ = false;
  device_begin_ns_.assign(devices, kBeginOfTime);
  has_windows_.assign(devices, std::nullopt);
  core_begin_ns_ = kBeginOfTime;
  uint64_t events = limits_.events;
  span_ = {kBeginOfTime, reader_.TimeAfter(kBeginOfTime, events)};
  while (true) {
    const auto slice = std::make_shared<Slice>();
    reader_.Read(span_);
    if (!FindSteps(*slice)) return false;
    if (!FindCore(*slice)) {
      if (!why_not_.empty()) return false;
      events *= 2;
      const bool none = slice->steps.steps.empty();
      if (events > limits_.most_events ||
          (none && events > limits_.events_without_steps)) {
        has_no_steps_ = none;
        return Fail("no whole step within " + std::to_string(events / 2) +
                    " events");
      }
      span_.end_ns = reader_.TimeAfter(core_begin_ns_, events);
      continue;
    }
    Count(slice);
    if (slice->is_last) break;
    events = limits_.events;
    MoveOn(*slice);
  }
  counting_.Wait();
  return true;
}

bool StepSlicer::FindSteps(Slice& slice) {
  slice.is_last = span_.end_ns == kEndOfTime;
  slice.steps =
      FindIterations(reader_.model(), process(), attribution(), span_.begin_ns);
  for (const Step& step : slice.steps.steps) slice.found.push_back(step.use);
  if (core_begin_ns_ == kBeginOfTime) return true;
  if (slice.steps.found_by != out_.steps.found_by) {
    // A last slice may hold too few steps to be a loop of its own.
    return Fail("the loop changes in the middle of the run");
  }
  return true;
}

bool StepSlicer::FindCore(Slice& slice) {
  const std::vector<Step>& steps = slice.steps.steps;
  if (core_begin_ns_ != kBeginOfTime) {
    const auto at = std::lower_bound(
        steps.begin(), steps.end(), core_begin_ns_,
        [](const Step& step, int64_t t) { return step.begin_ns < t; });
    // The device may be far behind the host.
    if (at == steps.end() && !slice.is_last) return false;
    if (at == steps.end() || at->begin_ns != core_begin_ns_) {
      return Fail("steps begin elsewhere in a later part of the run");
    }
    slice.first = static_cast<size_t>(at - steps.begin());
  }
  slice.before = out_.steps.steps.size();
  SetUses(slice);
  if (steps.empty() && slice.is_last) {
    has_no_steps_ = true;
    return Fail("it has no steps");
  }
  for (size_t d = 0; d < process().devices.size(); ++d) {
    slice.windows.push_back(
        AllStepWindows(process(), attribution(), slice.steps, DeviceId(d)));
  }
  if (!BeginsWhereTheLastEnded(slice)) {
    return Fail("a step's work begins elsewhere in a later part of the run");
  }
  if (slice.is_last) {
    slice.end = steps.size();
    return true;
  }
  const std::optional<size_t> end = EndOfCore(slice);
  if (end) slice.end = *end;
  return end.has_value();
}

// Steps of the margin are what they were; of later ones the finder's word
// counts, but for the warm-up at the begin of the run.
void StepSlicer::SetUses(Slice& slice) {
  std::vector<Step>& steps = slice.steps.steps;
  for (size_t i = 0; i < slice.first; ++i) {
    const size_t back = slice.first - i;
    if (back > slice.before) continue;
    steps[i].use = out_.steps.steps[slice.before - back].use;
  }
  if (known_.empty()) {
    if (core_begin_ns_ == kBeginOfTime) MarkWarmUp(slice.steps);
    LeaveOutUnseen(process(), attribution(), slice.is_last, slice.steps);
    for (const Step& step : steps) slice.chosen.push_back(step.use);
    KeepSelected(
        selection_,
        static_cast<int64_t>(slice.before) - static_cast<int64_t>(slice.first),
        slice.steps);
    return;
  }
  for (size_t i = slice.first; i < steps.size(); ++i) {
    const size_t step = slice.before + i - slice.first;
    if (step < known_.size()) steps[i].use = known_[step];
  }
}

bool StepSlicer::BeginsWhereTheLastEnded(const Slice& slice) const {
  if (core_begin_ns_ == kBeginOfTime) return true;
  for (size_t d = 0; d < slice.windows.size(); ++d) {
    if (has_windows_[d] == slice.windows[d].empty()) return false;
    for (const StepWindow& window : slice.windows[d]) {
      if (window.step < slice.first) continue;
      if (window.span.begin_ns != device_begin_ns_[d]) return false;
      break;
    }
  }
  return true;
}

// The last step but one whose begin is known on every device.
std::optional<size_t> StepSlicer::EndOfCore(const Slice& slice) const {
  const std::vector<Step>& steps = slice.steps.steps;
  for (size_t end = steps.size(); end-- > slice.first + 1;) {
    if (end + 1 >= steps.size()) continue;
    if (slice.found[end] != StepUse::kUsed) continue;
    if (!EndsOnEveryDevice(slice, end)) continue;
    if (reader_.SampledUntil(BeginOnDevices(slice, end)) <= span_.end_ns)
      return end;
  }
  return std::nullopt;
}

// When a step begins, on the host and on all devices.
int64_t StepSlicer::BeginOnDevices(const Slice& slice, size_t step) const {
  int64_t begin_ns = slice.steps.steps[step].begin_ns;
  for (const std::vector<StepWindow>& windows : slice.windows) {
    const auto at =
        std::ranges::lower_bound(windows, step, {}, &StepWindow::step);
    if (at != windows.end()) begin_ns = std::max(begin_ns, at->span.begin_ns);
  }
  return begin_ns;
}

bool StepSlicer::EndsOnEveryDevice(const Slice& slice, size_t step) const {
  return std::all_of(slice.windows.begin(), slice.windows.end(),
                     [&](const auto& windows) {
                       return windows.empty() || windows.back().step >= step;
                     });
}

void StepSlicer::Count(const std::shared_ptr<const Slice>& slice) {
  CountOtherReading(*slice);
  KeepSteps(*slice);
  counting_.Run(
      [this, slice, counted = PartOf(*slice), events = reader_.events()] {
        if (is_selected_) CountHost(*events, *slice, counted.host);
        for (size_t d = 0; d < counted.devices.size(); ++d) {
          CountDevice(*events, *slice, d, counted.devices[d]);
        }
        collectives_->Add(events->process, events->attribution, counted);
      });
}

// What the slice counts; the next one goes on from there.
CountedPart StepSlicer::PartOf(const Slice& slice) {
  const TimePart host{
      core_begin_ns_,
      slice.is_last ? kEndOfTime : slice.steps.steps[slice.end].begin_ns};
  CountedPart counted{host, {}};
  for (size_t d = 0; d < slice.windows.size(); ++d) {
    has_windows_[d] = !slice.windows[d].empty();
    TimePart part{device_begin_ns_[d], kEndOfTime};
    if (!slice.is_last) {
      part.end_ns = std::max(part.begin_ns, host.end_ns);
      for (const StepWindow& window : slice.windows[d]) {
        if (window.step < slice.end) continue;
        part.end_ns = window.span.begin_ns;
        break;
      }
    }
    counted.devices.push_back(part);
    device_begin_ns_[d] = part.end_ns;
  }
  return counted;
}

void StepSlicer::KeepSteps(const Slice& slice) {
  out_.steps.found_by = slice.steps.found_by;
  for (size_t i = slice.first; i < slice.end; ++i) {
    const Step& step = slice.steps.steps[i];
    out_.steps.steps.push_back(step);
    found_.push_back(slice.found[i]);
    const StepUse chosen =
        slice.chosen.empty() ? StepUse::kUsed : slice.chosen[i];
    const bool unseen =
        slice.found[i] == StepUse::kUsed &&
        (chosen == StepUse::kNotObserved || chosen == StepUse::kIncomplete);
    seen_.push_back(unseen ? chosen : StepUse::kUsed);
  }
}

// Of the steps that the slice counts, as of all that it holds.
void StepSlicer::CountOtherReading(const Slice& slice) {
  const size_t held = slice.steps.steps.size();
  if (held == 0) return;
  const uint64_t other = slice.steps.other_count;
  has_other_reading_ |= other > 0;
  other_count_ += static_cast<double>(slice.end - slice.first) *
                  static_cast<double>(other > 0 ? other : held) /
                  static_cast<double>(held);
}

void StepSlicer::CountHost(const SliceEvents& events, const Slice& slice,
                           const TimePart& part) {
  Steps counted = slice.steps;
  for (size_t i = 0; i < counted.steps.size(); ++i) {
    if (i < slice.first || i >= slice.end) {
      counted.steps[i].use = StepUse::kNotSelected;
    }
  }
  AddHostPart(events, counted, part, out_);
}

void StepSlicer::CountDevice(const SliceEvents& events, const Slice& slice,
                             size_t device, const TimePart& part) {
  const bool is_selected =
      is_selected_ && Selects(selection_, events.process.devices[device]);
  const std::vector<StepWindow>& all = slice.windows[device];
  std::vector<StepWindow> earlier;
  std::vector<StepWindow> windows;
  std::vector<StepTime> times;
  for (const StepWindow& window : all) {
    if (!is_selected || !IsUsed(slice.steps, window)) continue;
    if (window.step >= slice.end) continue;
    if (window.step < slice.first) {
      earlier.push_back(window);
      continue;
    }
    windows.push_back(window);
    times.push_back(
        {0, slice.before + window.step - slice.first, window.span.length_ns()});
  }
  AddDevicePart(events,
                {DeviceId(device), part, slice.steps, windows, earlier,
                 is_selected ? AroundSteps(slice.steps, all)
                             : AlwaysOutside(kNotSelected),
                 times},
                out_);
}

size_t StepSlicer::MarginBefore(const Slice& slice, size_t step) const {
  const std::vector<Step>& steps = slice.steps.steps;
  const int64_t begin_ns = steps[step].begin_ns;
  const double slice_ns =
      static_cast<double>(span_.end_ns - steps[slice.first].begin_ns);
  const int64_t sampled_ns = begin_ns - reader_.SampledSince(begin_ns);
  size_t first = step;
  for (size_t used = 0; first > 0;) {
    const int64_t margin_ns = begin_ns - steps[first].begin_ns;
    const auto share = static_cast<double>(margin_ns) / slice_ns;
    const bool enough =
        (used >= limits_.margin_steps && share >= kLeastMargin) ||
        (used > kMinRepeats && share >= kMostMargin);
    if (enough && margin_ns >= sampled_ns) break;
    --first;
    used += slice.found[first] == StepUse::kUsed ? 1 : 0;
  }
  while (first < step && slice.found[first] != StepUse::kUsed) ++first;
  return first;
}

void StepSlicer::MoveOn(const Slice& slice) {
  core_begin_ns_ = slice.steps.steps[slice.end].begin_ns;
  span_.begin_ns = slice.steps.steps[MarginBefore(slice, slice.end)].begin_ns;
  span_.end_ns = reader_.TimeAfter(core_begin_ns_, limits_.events);
}

}  // namespace dltap::analyzer
