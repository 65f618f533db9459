// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/process_slicer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analyzer/metrics/outside.h"
#include "analyzer/metrics/step_choice.h"
#include "analyzer/metrics/step_finder.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kBegin = std::numeric_limits<int64_t>::min();
constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
constexpr int64_t kBeforeCaptureNs = 5'000'000;
// The part of a slice that the margin before it takes.
constexpr double kLeastMargin = 0.06;
constexpr double kMostMargin = 0.25;  // if it holds some steps
// Samples this far apart are of two passes over the threads, whichever of them
// had submitted work in between.
constexpr int64_t kPassApartNs = 80'000'000;
constexpr int kMarginPasses = 2;

bool IsUsed(const Steps& steps, const StepWindow& window) {
  return steps.steps[window.step].use == StepUse::kUsed;
}

// Disjoint and in time, as Read wants them; the last stays the last.
void Join(std::vector<TimePart>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const TimePart& a, const TimePart& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  std::vector<TimePart> joined;
  for (const TimePart& part : parts) {
    if (!joined.empty() && part.begin_ns <= joined.back().end_ns) {
      joined.back().end_ns = std::max(joined.back().end_ns, part.end_ns);
    } else {
      joined.push_back(part);
    }
  }
  parts = std::move(joined);
}

}  // namespace

ProcessSlicer::ProcessSlicer(EventSource& source, size_t process,
                             const AttributionOptions& options,
                             const Selection& selection,
                             const SliceLimits& limits,
                             const std::function<void(double part)>& progress)
    : source_(source),
      index_(process),
      options_(options),
      selection_(selection),
      is_selected_(Selects(selection, source.model().processes[process])),
      limits_(limits),
      progress_(progress),
      run_end_ns_(source.model().processes[process].end_ns) {}

bool ProcessSlicer::Fail(std::string why_not) {
  why_not_ = std::move(why_not);
  return false;
}

// What a step is used for may depend on all others: how long steps usually
// take, say. The slices go by those that they see. If that was wrong, they are
// counted once more.
std::optional<SlicedProcess> ProcessSlicer::Run() {
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
  out_.collectives = collectives_->Take();
  return std::move(out_);
}

std::vector<StepUse> ProcessSlicer::FinalUses() const {
  Steps steps = out_.steps;
  for (size_t i = 0; i < found_.size(); ++i) steps.steps[i].use = found_[i];
  MarkWarmUp(steps);
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    StepUse& use = steps.steps[i].use;
    if (use == StepUse::kUsed) use = seen_[i];
  }
  KeepSelected(selection_, 0, steps);
  std::vector<StepUse> uses;
  for (const Step& step : steps.steps) uses.push_back(step.use);
  return uses;
}

bool ProcessSlicer::Pass() {
  out_ = {};
  found_.clear();
  seen_.clear();
  const size_t devices = process().devices.size();
  out_.devices.resize(devices);
  out_.exposed.resize(devices);
  collectives_.emplace(source_.model(), index_);
  other_count_ = 0;
  has_other_reading_ = false;
  device_begin_ns_.assign(devices, kBegin);
  has_windows_.assign(devices, std::nullopt);
  core_begin_ns_ = kBegin;
  if (source_.TotalsOf(index_).activities == 0) return CountCallsOnly();
  uint64_t events = limits_.events;
  span_ = {kBegin, source_.TimeAfter(index_, kBegin, events)};
  while (true) {
    Slice slice;
    if (!Read()) return false;
    if (!FindSteps(slice)) return false;
    if (!FindCore(slice)) {
      if (!why_not_.empty()) return false;
      events *= 2;
      if (events > limits_.most_events) {
        return Fail("no whole step within " + std::to_string(events / 2) +
                    " events");
      }
      span_.end_ns = source_.TimeAfter(index_, core_begin_ns_, events);
      continue;
    }
    Count(slice);
    if (slice.is_last) return true;
    events = limits_.events;
    MoveOn(slice);
  }
}

// No device, no steps: any time will do to cut at.
bool ProcessSlicer::CountCallsOnly() {
  for (int64_t at = kBegin; at != kEnd; at = span_.end_ns) {
    span_ = {at, source_.TimeAfter(index_, at, limits_.events)};
    source_.Read(index_, {span_});
    attribution_ = Attribute(source_.model(), options_);
    TallyKeeper(source_.model(), process(), attribution(), out_.tallies)
        .AddCalls({});
    out_.launches_without_kernel +=
        attribution().launches_without_kernel.size();
  }
  return true;
}

bool ProcessSlicer::Read() {
  std::vector<TimePart> parts = {span_};
  if (span_.begin_ns != kBegin) {
    parts.push_back(
        {kBegin, source_.TimeAfter(index_, kBegin, limits_.head_events)});
    for (const TimePart& capture : source_.TotalsOf(index_).captures) {
      if (capture.begin_ns >= span_.begin_ns) continue;
      parts.push_back({capture.begin_ns - kBeforeCaptureNs, capture.end_ns});
    }
    Join(parts);
  }
  source_.Read(index_, parts);
  attribution_ = Attribute(source_.model(), options_);
  if (progress_ && span_.end_ns != kEnd && run_end_ns_ > 0) {
    progress_(static_cast<double>(span_.end_ns) /
              static_cast<double>(run_end_ns_));
  }
  return true;
}

bool ProcessSlicer::FindSteps(Slice& slice) {
  slice.is_last = span_.end_ns == kEnd;
  slice.steps =
      FindIterations(source_.model(), process(), attribution(), span_.begin_ns);
  for (const Step& step : slice.steps.steps) slice.found.push_back(step.use);
  if (core_begin_ns_ == kBegin) return true;
  if (slice.steps.found_by != out_.steps.found_by) {
    // A last slice may hold too few steps to be a loop of its own.
    return Fail("the loop changes in the middle of the run");
  }
  return true;
}

bool ProcessSlicer::FindCore(Slice& slice) {
  const std::vector<Step>& steps = slice.steps.steps;
  if (core_begin_ns_ != kBegin) {
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
  SetUses(slice);
  if (steps.empty() && slice.is_last) return Fail("it has no steps");
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
void ProcessSlicer::SetUses(Slice& slice) {
  std::vector<Step>& steps = slice.steps.steps;
  const size_t before = out_.steps.steps.size();
  for (size_t i = 0; i < slice.first; ++i) {
    const size_t back = slice.first - i;
    if (back > before) continue;
    steps[i].use = out_.steps.steps[before - back].use;
  }
  if (known_.empty()) {
    if (core_begin_ns_ == kBegin) MarkWarmUp(slice.steps);
    LeaveOutUnseen(process(), attribution(), slice.is_last, slice.steps);
    for (const Step& step : steps) slice.chosen.push_back(step.use);
    KeepSelected(
        selection_,
        static_cast<int64_t>(before) - static_cast<int64_t>(slice.first),
        slice.steps);
    return;
  }
  for (size_t i = slice.first; i < steps.size(); ++i) {
    const size_t step = before + i - slice.first;
    if (step < known_.size()) steps[i].use = known_[step];
  }
}

bool ProcessSlicer::BeginsWhereTheLastEnded(const Slice& slice) const {
  if (core_begin_ns_ == kBegin) return true;
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
std::optional<size_t> ProcessSlicer::EndOfCore(const Slice& slice) const {
  const std::vector<Step>& steps = slice.steps.steps;
  for (size_t end = steps.size(); end-- > slice.first + 1;) {
    if (end + 1 >= steps.size()) continue;
    if (slice.found[end] != StepUse::kUsed) continue;
    if (!EndsOnEveryDevice(slice, end)) continue;
    if (SampledUntil(BeginOnDevices(slice, end)) <= span_.end_ns) return end;
  }
  return std::nullopt;
}

// When a step begins, on the host and on all devices.
int64_t ProcessSlicer::BeginOnDevices(const Slice& slice, size_t step) const {
  int64_t begin_ns = slice.steps.steps[step].begin_ns;
  for (const std::vector<StepWindow>& windows : slice.windows) {
    const auto at =
        std::ranges::lower_bound(windows, step, {}, &StepWindow::step);
    if (at != windows.end()) begin_ns = std::max(begin_ns, at->span.begin_ns);
  }
  return begin_ns;
}

// What a time between two samples is like, both tell. The margins hold some of
// them, or else the time in which there should be some.
int64_t ProcessSlicer::SampledUntil(int64_t at_ns) const {
  if (!process().has_cpu_samples) return at_ns;
  const auto& samples = process().cpu_samples;
  int64_t pass_ns = at_ns;
  for (int passes = 0; passes < kMarginPasses; ++passes) {
    const int64_t next_ns = pass_ns + (passes > 0 ? kPassApartNs : 0);
    const auto next =
        std::ranges::lower_bound(samples, next_ns, {}, &CpuSample::at_ns);
    if (next == samples.end()) return at_ns + limits_.sample_margin_ns;
    pass_ns = next->at_ns;
  }
  return std::min(pass_ns + 1, at_ns + limits_.sample_margin_ns);
}

int64_t ProcessSlicer::SampledSince(int64_t at_ns) const {
  if (!process().has_cpu_samples) return at_ns;
  const auto& samples = process().cpu_samples;
  int64_t pass_ns = at_ns;
  for (int passes = 0; passes < kMarginPasses; ++passes) {
    const int64_t last_ns = pass_ns - (passes > 0 ? kPassApartNs : 0);
    const auto after =
        std::ranges::upper_bound(samples, last_ns, {}, &CpuSample::at_ns);
    if (after == samples.begin()) return at_ns - limits_.sample_margin_ns;
    pass_ns = std::prev(after)->at_ns;
  }
  return std::max(pass_ns, at_ns - limits_.sample_margin_ns);
}

bool ProcessSlicer::EndsOnEveryDevice(const Slice& slice, size_t step) const {
  return std::all_of(slice.windows.begin(), slice.windows.end(),
                     [&](const auto& windows) {
                       return windows.empty() || windows.back().step >= step;
                     });
}

void ProcessSlicer::Count(const Slice& slice) {
  const TimePart host{
      core_begin_ns_,
      slice.is_last ? kEnd : slice.steps.steps[slice.end].begin_ns};
  if (is_selected_) CountHost(slice, host);
  CountedPart counted{host, {}};
  for (size_t d = 0; d < slice.windows.size(); ++d) {
    has_windows_[d] = !slice.windows[d].empty();
    TimePart part{device_begin_ns_[d], kEnd};
    if (!slice.is_last) {
      part.end_ns = std::max(part.begin_ns, host.end_ns);
      for (const StepWindow& window : slice.windows[d]) {
        if (window.step < slice.end) continue;
        part.end_ns = window.span.begin_ns;
        break;
      }
    }
    CountDevice(slice, d, part);
    counted.devices.push_back(part);
    device_begin_ns_[d] = part.end_ns;
  }
  collectives_->Add(attribution(), counted);
  CountOtherReading(slice);
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
void ProcessSlicer::CountOtherReading(const Slice& slice) {
  const size_t held = slice.steps.steps.size();
  if (held == 0) return;
  const uint64_t other = slice.steps.other_count;
  has_other_reading_ |= other > 0;
  other_count_ += static_cast<double>(slice.end - slice.first) *
                  static_cast<double>(other > 0 ? other : held) /
                  static_cast<double>(held);
}

void ProcessSlicer::CountHost(const Slice& slice, const TimePart& part) {
  Steps counted = slice.steps;
  for (size_t i = 0; i < counted.steps.size(); ++i) {
    if (i < slice.first || i >= slice.end) {
      counted.steps[i].use = StepUse::kNotSelected;
    }
  }
  TallyKeeper(source_.model(), process(), attribution(), out_.tallies)
      .AddCalls(counted);
  const auto in_part = [&part](const std::vector<int64_t>& times) {
    return static_cast<uint64_t>(std::ranges::count_if(
        times, [&part](int64_t at) { return part.Holds(at); }));
  };
  out_.launches_without_kernel +=
      in_part(attribution().launches_without_kernel);
  out_.kernels_without_launch += in_part(attribution().kernels_without_launch);
}

void ProcessSlicer::CountDevice(const Slice& slice, size_t device,
                                const TimePart& part) {
  const DeviceId id(device);
  if (!is_selected_ || !Selects(selection_, process().devices[device])) {
    AddOutside(process(), attribution(), id,
               Clipped(AlwaysOutside(kNotSelected), part), {}, out_.outside);
    return;
  }
  const std::vector<StepWindow>& all = slice.windows[device];
  std::vector<StepWindow> earlier;
  std::vector<StepWindow> windows;
  for (const StepWindow& window : all) {
    if (!IsUsed(slice.steps, window) || window.step >= slice.end) continue;
    (window.step < slice.first ? earlier : windows).push_back(window);
  }
  AddOutside(process(), attribution(), id,
             Clipped(AroundSteps(slice.steps, all), part), windows,
             out_.outside);
  for (size_t i = 0; i < process().activities.size(); ++i) {
    const Activity& activity = process().activities[i];
    if (activity.device != id || !part.Holds(activity.begin_ns)) continue;
    if (attribution().activities[i].class_from != ClassFrom::kComposite) {
      continue;
    }
    out_.composite_ns += activity.end_ns - activity.begin_ns;
  }
  if (windows.empty()) return;
  TallyKeeper tallies(source_.model(), process(), attribution(), out_.tallies);
  std::optional<DeviceSummary>& into = out_.devices[device];
  DeviceSummary sums = SummariseDevice(
      source_.model(),
      {process(), attribution(), slice.steps, id, windows, nullptr, earlier},
      // Which layers are one is asked of all steps at once, not of a slice.
      {tallies, nullptr, nullptr}, out_.exposed[device]);
  const size_t before = out_.steps.steps.size();
  for (const StepWindow& window : windows) {
    sums.steps.push_back(
        {0, before + window.step - slice.first, window.span.length_ns()});
  }
  if (into) {
    into->Append(sums);
  } else {
    into = std::move(sums);
  }
}

size_t ProcessSlicer::MarginBefore(const Slice& slice, size_t step) const {
  const std::vector<Step>& steps = slice.steps.steps;
  const int64_t begin_ns = steps[step].begin_ns;
  const double slice_ns =
      static_cast<double>(span_.end_ns - steps[slice.first].begin_ns);
  const int64_t sampled_ns = begin_ns - SampledSince(begin_ns);
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

void ProcessSlicer::MoveOn(const Slice& slice) {
  core_begin_ns_ = slice.steps.steps[slice.end].begin_ns;
  span_.begin_ns = slice.steps.steps[MarginBefore(slice, slice.end)].begin_ns;
  span_.end_ns = source_.TimeAfter(index_, core_begin_ns_, limits_.events);
}

}  // namespace dltap::analyzer
