// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/slices/run_slicer.h"

#include <algorithm>
#include <utility>

#include "analyzer/metrics/steps/step_finder.h"

namespace dltap::analyzer {
namespace {

// Parts of a slice's events. The margin before the next slice begins here, and
// the slice ends between these.
constexpr double kMarginBegin = 0.4;
constexpr double kEarliestEnd = 0.6;
constexpr double kLatestEnd = 0.8;

uint64_t Part(uint64_t events, double part) {
  return static_cast<uint64_t>(static_cast<double>(events) * part);
}

}  // namespace

RunSlicer::RunSlicer(EventSource& source, size_t process,
                     const AttributionOptions& options,
                     const Selection& selection, const SliceLimits& limits,
                     const std::function<void(double part)>& progress)
    : reader_(source, process, options, limits, progress),
      selection_(selection),
      is_selected_(Selects(selection, source.model().processes[process])),
      limits_(limits),
      collectives_(source.model(), process) {
  const size_t devices = reader_.process().devices.size();
  device_begin_ns_.assign(devices, kBeginOfTime);
  busy_until_ns_.assign(devices, kBeginOfTime);
  left_ = reader_.totals().of_device;
  left_.resize(devices);
  out_.devices.resize(devices);
  out_.exposed.resize(devices);
}

std::optional<SlicedProcess> RunSlicer::Run() {
  uint64_t events = limits_.events;
  span_ = {kBeginOfTime, reader_.TimeAfter(kBeginOfTime, events)};
  while (true) {
    reader_.Read(span_);
    has_steps_ = HasSteps();
    if (has_steps_) {
      why_not_ = "a loop begins in the middle of the run";
      return std::nullopt;
    }
    const bool is_last = span_.end_ns == kEndOfTime;
    const int64_t cut_ns = is_last ? kEndOfTime : Cut(events);
    const auto parts = CutDevices(cut_ns);
    const bool may_grow = 2 * events <= limits_.most_events;
    if (!parts && !may_grow) {
      why_not_ = "a device rests for longer than a slice";
      return std::nullopt;
    }
    if (!parts || (may_grow && DeviceIsBehind(cut_ns))) {
      events *= 2;
      span_.end_ns = reader_.TimeAfter(core_begin_ns_, events);
      continue;
    }
    missing_ = 0;
    Count(cut_ns, *parts);
    if (is_last) break;
    const int64_t margin_ns =
        reader_.TimeAfter(core_begin_ns_, Part(events, kMarginBegin));
    events = limits_.events;
    core_begin_ns_ = cut_ns;
    span_ = {std::min({margin_ns, cut_ns, reader_.SampledSince(cut_ns),
                       FirstSubmission(*parts)}),
             reader_.TimeAfter(cut_ns, events)};
  }
  counting_.Wait();
  JoinWindows();
  out_.collectives = collectives_.Take();
  return std::move(out_);
}

// Of those who did not ask for a part of the run.
bool RunSlicer::HasSteps() const {
  if (selection_.whole_run || selection_.window) return false;
  const Steps steps = FindIterations(reader_.model(), process(),
                                     reader_.attribution(), span_.begin_ns);
  return !steps.steps.empty() || !steps.threads_at_once.empty();
}

// The end of the longest rest of all devices, where a slice may end.
int64_t RunSlicer::Cut(uint64_t events) const {
  const int64_t earliest =
      reader_.TimeAfter(core_begin_ns_, Part(events, kEarliestEnd));
  const int64_t latest =
      reader_.TimeAfter(core_begin_ns_, Part(events, kLatestEnd));
  int64_t cut_ns = earliest;
  int64_t longest_ns = -1;
  int64_t busy_until_ns = kBeginOfTime;
  for (const Activity& activity : process().activities) {
    if (activity.begin_ns >= latest) break;
    if (activity.begin_ns >= earliest) {
      const int64_t rest_ns =
          std::max<int64_t>(0, activity.begin_ns - busy_until_ns);
      if (rest_ns > longest_ns) {
        longest_ns = rest_ns;
        cut_ns = activity.begin_ns;
      }
    }
    busy_until_ns = std::max(busy_until_ns, activity.end_ns);
  }
  return cut_ns;
}

// Of the device's first activity from then on; the end of time: none is here.
int64_t RunSlicer::NextBegin(DeviceId device, int64_t from_ns) const {
  int64_t next_ns = kEndOfTime;
  for (const Activity& activity : process().activities) {
    if (activity.device != device || activity.begin_ns < from_ns) continue;
    next_ns = std::min(next_ns, activity.begin_ns);
  }
  return next_ns;
}

// nullopt: what ends a device's rest is not in memory.
std::optional<std::vector<RunSlicer::DevicePart>> RunSlicer::CutDevices(
    int64_t cut_ns) const {
  std::vector<DevicePart> parts(left_.size());
  for (size_t d = 0; d < parts.size(); ++d) {
    const int64_t end_ns =
        cut_ns == kEndOfTime ? kEndOfTime : NextBegin(DeviceId(d), cut_ns);
    parts[d] = {{device_begin_ns_[d], std::max(device_begin_ns_[d], end_ns)},
                0,
                busy_until_ns_[d]};
  }
  for (const Activity& activity : process().activities) {
    DevicePart& part = parts[activity.device.value()];
    if (!part.span.Holds(activity.begin_ns)) continue;
    ++part.activities;
    part.busy_until_ns = std::max(part.busy_until_ns, activity.end_ns);
  }
  for (size_t d = 0; d < parts.size() && cut_ns != kEndOfTime; ++d) {
    const bool is_last = parts[d].span.end_ns == kEndOfTime;
    if (is_last && parts[d].activities < left_[d]) return std::nullopt;
  }
  return parts;
}

// Launches of the slice have kernels that are not in memory yet: there are
// fewer of them than when the slice was shorter, if it was.
bool RunSlicer::DeviceIsBehind(int64_t cut_ns) {
  if (cut_ns == kEndOfTime) return false;
  const TimePart host{core_begin_ns_, cut_ns};
  const auto& times = reader_.attribution().launches_without_kernel;
  const auto missing = static_cast<uint64_t>(
      std::ranges::count_if(times, [&](int64_t at) { return host.Holds(at); }));
  const bool is_behind = missing > 0 && missing != missing_;
  missing_ = missing;
  return is_behind;
}

// When the host began to submit what the slice leaves to the next one.
int64_t RunSlicer::FirstSubmission(const std::vector<DevicePart>& parts) const {
  int64_t first_ns = kEndOfTime;
  for (size_t i = 0; i < process().activities.size(); ++i) {
    const Activity& activity = process().activities[i];
    const TimePart& span = parts[activity.device.value()].span;
    if (activity.begin_ns < span.end_ns) continue;
    const CallId call = reader_.attribution().activities[i].submitted_by;
    if (!call.known()) continue;
    first_ns = std::min(first_ns, process().calls[call.value()].begin_ns);
  }
  return first_ns;
}

void RunSlicer::Count(int64_t cut_ns, const std::vector<DevicePart>& parts) {
  const TimePart host{core_begin_ns_, cut_ns};
  CountedPart counted{host, {}};
  std::vector<std::vector<StepWindow>> windows;
  std::vector<std::vector<StepWindow>> earlier;
  for (size_t d = 0; d < parts.size(); ++d) {
    left_[d] -= parts[d].activities;
    busy_until_ns_[d] = parts[d].busy_until_ns;
    counted.devices.push_back(parts[d].span);
    windows.push_back(WindowsOf(DeviceId(d), parts[d].span));
    earlier.push_back(EarlierWindows(DeviceId(d), parts[d].span));
    device_begin_ns_[d] = parts[d].span.end_ns;
  }
  counting_.Run([this, counted = std::move(counted), steps = HostSteps(host),
                 windows = std::move(windows), earlier = std::move(earlier),
                 events = reader_.events()] {
    if (is_selected_) AddHostPart(*events, steps, counted.host, out_);
    for (size_t d = 0; d < counted.devices.size(); ++d) {
      AddDevicePart(*events,
                    {DeviceId(d),
                     counted.devices[d],
                     {},
                     windows[d],
                     earlier[d],
                     AlwaysOutside(kNotSelected)},
                    out_);
    }
    collectives_.Add(events->process, events->attribution, counted);
  });
}

// All time, unless a part was asked for.
Interval RunSlicer::Asked() const {
  if (!selection_.window) return {kBeginOfTime, kEndOfTime};
  return Common(*selection_.window, {process().begin_ns, process().end_ns});
}

Steps RunSlicer::HostSteps(const TimePart& part) const {
  const Interval span = Common(Asked(), {part.begin_ns, part.end_ns});
  Step asked{.begin_ns = span.begin_ns, .end_ns = span.end_ns};
  if (span.begin_ns >= span.end_ns) asked.use = StepUse::kNotSelected;
  return {StepsFoundBy::kNone, {asked}};
}

// What was asked for of a part; else what lies between the device's first
// activity and the end of its last.
Interval RunSlicer::WindowOf(DeviceId device, const TimePart& part) const {
  Interval span{part.begin_ns, part.end_ns};
  if (selection_.window) return Common(Asked(), span);
  if (span.begin_ns == kBeginOfTime) {
    span.begin_ns = NextBegin(device, kBeginOfTime);
  }
  if (span.end_ns == kEndOfTime) span.end_ns = busy_until_ns_[device.value()];
  return span;
}

std::vector<StepWindow> RunSlicer::WindowsOf(DeviceId device,
                                             const TimePart& part) const {
  const size_t d = device.value();
  const bool is_selected =
      is_selected_ && Selects(selection_, process().devices[d]);
  if (!is_selected || reader_.totals().of_device[d] == 0) return {};
  const Interval window = WindowOf(device, part);
  if (window.begin_ns >= window.end_ns) return {};
  return {{window, 0}};
}

// What the margin holds of what was counted.
std::vector<StepWindow> RunSlicer::EarlierWindows(DeviceId device,
                                                  const TimePart& part) const {
  const Interval before =
      Common(Asked(), {NextBegin(device, span_.begin_ns), part.begin_ns});
  if (before.begin_ns >= before.end_ns) return {};
  return {{before, 0}};
}

void RunSlicer::JoinWindows() {
  for (std::optional<DeviceSummary>& device : out_.devices) {
    if (device) device->JoinWindows();
  }
}

}  // namespace dltap::analyzer
