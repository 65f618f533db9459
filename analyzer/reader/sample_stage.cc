// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/sample_stage.h"

#include <algorithm>
#include <limits>
#include <string>

namespace dltap::analyzer {
namespace {

using trace::RecordKind;
using trace::RecordView;
using trace::ThreadSwitch;

constexpr uint64_t kMaxDelayNs = 1'000'000'000;  // no writer comes near it
// A switch and the reading of the clocks: a year. Differences of times fit.
constexpr int64_t kMaxApartNs = int64_t{365} * 24 * 3600 * 1'000'000'000;

std::string_view LevelName(uint8_t level) {
  switch (static_cast<trace::Level>(level)) {
    case trace::Level::kOff: return "off";
    case trace::Level::kHost: return "host";
    case trace::Level::kKernels: return "kernels";
    case trace::Level::kEvents: return "events";
  }
  return "unknown";
}

NotObservedCause CauseOf(uint32_t cause) {
  switch (static_cast<trace::NotObservedCause>(cause)) {
    case trace::NotObservedCause::kYielded: return NotObservedCause::kYielded;
    case trace::NotObservedCause::kDropped: return NotObservedCause::kDropped;
    case trace::NotObservedCause::kRecordingOff: break;
  }
  return NotObservedCause::kRecordingOff;
}

}  // namespace

void RunEnds::Add(const Call& call) {
  calls_ns = std::max(calls_ns.value_or(call.end_ns), call.end_ns);
}

void RunEnds::Add(const Activity& activity) {
  constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  const size_t device = activity.device.value();
  if (device >= devices_ns.size()) devices_ns.resize(device + 1, kNone);
  devices_ns[device] = std::max(devices_ns[device], activity.end_ns);
}

bool SampleStage::AddOfThread(const RecordView& record) {
  switch (record.kind()) {
    case RecordKind::kSwitches: AddSwitches(record); return true;
    case RecordKind::kThreadFrames: AddThreadFrames(record); return true;
    default: return false;
  }
}

void SampleStage::AddThreadFrames(const RecordView& record) {
  const auto fixed = record.As<trace::ThreadFramesRecord>();
  if (fixed.thread == trace::kNoIndex) return;
  process_.frames_seen.push_back({.at_ns = timeline_.FromTicks(fixed.ticks),
                                  .thread = definitions_.ThreadOf(fixed.thread),
                                  .site = definitions_.Site(fixed.site)});
}

// A state that is not known lasts until the first switch, which tells of it
// only when the thread gives its CPU up.
void SampleStage::AddSwitches(const RecordView& record) {
  const auto fixed = record.As<trace::SwitchesRecord>();
  if (fixed.thread == trace::kNoIndex || fixed.lost != 0 ||
      fixed.end_ns < fixed.begin_ns) {
    return;
  }
  const int64_t now_ns = timeline_.FromTicks(fixed.ticks);
  const auto time = [&](uint64_t monotonic_ns) {
    return now_ns -
           std::clamp(static_cast<int64_t>(fixed.monotonic_ns - monotonic_ns),
                      -kMaxApartNs, kMaxApartNs);
  };
  const ThreadId thread = definitions_.ThreadOf(fixed.thread);
  auto state = static_cast<ThreadSwitch>(fixed.state);
  // Each record has its own reading of the clocks: one that goes on where the
  // thread's last one ended begins there.
  SwitchesEnd& last = switches_end_[fixed.thread];
  int64_t since_ns =
      last.monotonic_ns == fixed.begin_ns ? last.at_ns : time(fixed.begin_ns);
  const int64_t end_ns = std::max(since_ns, time(fixed.end_ns));
  last = {fixed.end_ns, end_ns};
  std::optional<int64_t> known_ns;
  if (state != ThreadSwitch::kUnknown) known_ns = since_ns;
  const auto end_state = [&](int64_t at_ns) {
    if (state == ThreadSwitch::kSleeps || state == ThreadSwitch::kPreempted) {
      process_.off_cpu.push_back(
          {since_ns, at_ns, thread, state == ThreadSwitch::kPreempted});
    }
  };
  trace::TailReader tail = record.tail();
  uint64_t word = 0;
  for (uint32_t i = 0; i < fixed.count && tail.Read(&word, sizeof(word)); ++i) {
    const auto next = static_cast<ThreadSwitch>(word & 3);
    const int64_t at_ns = std::clamp(time(word >> 2), since_ns, end_ns);
    if (!known_ns) known_ns = next == ThreadSwitch::kRuns ? at_ns : since_ns;
    end_state(at_ns);
    state = next;
    since_ns = at_ns;
  }
  if (!known_ns) return;
  end_state(end_ns);
  process_.switches_known.push_back({*known_ns, end_ns, thread});
}

bool SampleStage::Add(const RecordView& record) {
  switch (record.kind()) {
    case RecordKind::kAnchor: return true;
    case RecordKind::kProcessSample: AddProcessSample(record); return true;
    case RecordKind::kDelay: AddDelay(record); return true;
    case RecordKind::kCpuSample: AddCpuSample(record); return true;
    case RecordKind::kWatermark: {
      const auto fixed = record.As<trace::WatermarkRecord>();
      uint64_t& until = watermarks_[fixed.device];
      until = std::max(until, fixed.complete_until_ns);
      return true;
    }
    case RecordKind::kNotObserved: AddNotObserved(record); return true;
    case RecordKind::kLoss: {
      const auto fixed = record.As<trace::LossRecord>();
      losses_.Set(static_cast<trace::LossKind>(fixed.loss), fixed.count);
      return true;
    }
    case RecordKind::kCallCount: {
      const auto fixed = record.As<trace::CallCountRecord>();
      call_counts_[fixed.entry_point] = fixed.calls;
      return true;
    }
    case RecordKind::kLevel: AddLevel(record); return true;
    case RecordKind::kOverhead: AddOverhead(record); return true;
    case RecordKind::kWindow: {
      const auto fixed = record.As<trace::WindowRecord>();
      windows_.emplace_back(timeline_.FromTicks(fixed.ticks),
                            fixed.recording != 0);
      return true;
    }
    case RecordKind::kEnd: process_.complete = true; return true;
    default: return AddOfThread(record);
  }
}

void SampleStage::AddCpuSample(const RecordView& record) {
  const auto fixed = record.As<trace::CpuSampleRecord>();
  if (fixed.thread == trace::kNoIndex) return;
  const auto state = static_cast<trace::ThreadState>(fixed.state);
  process_.cpu_samples.push_back(
      {.at_ns = timeline_.FromTicks(fixed.ticks),
       .thread = definitions_.ThreadOf(fixed.thread),
       .on_cpu = state == trace::ThreadState::kRunning,
       .cpu_time_ns = static_cast<int64_t>(fixed.cpu_time_ns)});
  if (fixed.has_run_delay == 0) return;
  process_.cpu_samples.back().run_delay_ns =
      static_cast<int64_t>(fixed.run_delay_ns);
}

void SampleStage::AddProcessSample(const RecordView& record) {
  const auto fixed = record.As<trace::ProcessSampleRecord>();
  process_.process_samples.push_back(
      {.at_ns = timeline_.FromTicks(fixed.ticks),
       .cpu_time_ns = static_cast<int64_t>(fixed.cpu_time_ns),
       .resident_bytes = static_cast<int64_t>(fixed.resident_bytes)});
}

void SampleStage::AddDelay(const RecordView& record) {
  const auto fixed = record.As<trace::DelayRecord>();
  const bool is_known =
      fixed.layer_class < specs::Words<specs::LayerClass>::kCount;
  process_.delays.push_back(
      {.begin_ns = timeline_.FromTicks(fixed.ticks),
       .end_ns = 0,
       .delay_ns = static_cast<int64_t>(
           std::min<uint64_t>(fixed.delay_ns, kMaxDelayNs)),
       .layer_class = is_known
                          ? static_cast<specs::LayerClass>(fixed.layer_class)
                          : specs::LayerClass::kUnattributed,
       .source_off = fixed.source_off != 0});
}

// Each window lasts until the next one begins. One that is told again is
// corrected by it.
void SampleStage::CloseDelays(int64_t end_ns) {
  std::vector<DelayWindow>& delays = process_.delays;
  std::stable_sort(delays.begin(), delays.end(),
                   [](const DelayWindow& a, const DelayWindow& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  const auto kept =
      std::unique(delays.rbegin(), delays.rend(),
                  [](const DelayWindow& later, const DelayWindow& earlier) {
                    return later.begin_ns == earlier.begin_ns;
                  });
  delays.erase(delays.begin(), kept.base());
  for (size_t i = 0; i < delays.size(); ++i) {
    delays[i].end_ns = i + 1 < delays.size()
                           ? delays[i + 1].begin_ns
                           : std::max(end_ns, delays[i].begin_ns);
  }
}

void SampleStage::AddNotObserved(const RecordView& record) {
  const auto fixed = record.As<trace::NotObservedRecord>();
  if (fixed.device == trace::kNoIndex) {
    everywhere_.push_back(fixed);
    return;
  }
  process_.not_observed.push_back({definitions_.DeviceOf(fixed.device),
                                   timeline_.FromActivity(fixed.begin_ns),
                                   timeline_.FromActivity(fixed.end_ns),
                                   CauseOf(fixed.cause)});
}

void SampleStage::AddLevel(const RecordView& record) {
  const auto fixed = record.As<trace::LevelRecord>();
  std::string_view reason;
  record.tail().String(&reason);
  process_.level = LevelName(fixed.level);
  process_.level_reason = reason;
  levels_.emplace_back(
      timeline_.FromTicks(fixed.ticks),
      fixed.level >= static_cast<uint8_t>(trace::Level::kKernels));
}

void SampleStage::AddOverhead(const RecordView& record) {
  const auto fixed = record.As<trace::OverheadRecord>();
  process_.per_call_overhead_ns =
      fixed.per_call_ps == 0
          ? -1
          : static_cast<int64_t>((fixed.per_call_ps + 500) / 1000);
  process_.collector_cpu_ns = static_cast<int64_t>(fixed.collector_cpu_ns);
}

void SampleStage::OnEveryDevice(int64_t begin_ns, int64_t end_ns,
                                NotObservedCause cause) {
  if (end_ns <= begin_ns) return;
  for (size_t i = 0; i < process_.devices.size(); ++i) {
    process_.not_observed.push_back({DeviceId(i), begin_ns, end_ns, cause});
  }
}

std::vector<TimePart> SampleStage::CloseSwitches(
    std::vector<std::pair<int64_t, bool>> switches, int64_t end_ns) {
  std::vector<TimePart> spans;
  std::stable_sort(switches.begin(), switches.end());
  bool off = false;
  int64_t off_since = 0;
  for (const auto& [at_ns, on] : switches) {
    if (off && on) spans.push_back({off_since, at_ns});
    if (!off && !on) off_since = at_ns;
    off = !on;
  }
  // There are no calls after the last window, but activities for a while.
  if (off) {
    spans.push_back({off_since, std::numeric_limits<int64_t>::max()});
    process_.recorded_until_ns =
        std::min(process_.recorded_until_ns.value_or(off_since), off_since);
  }
  for (const TimePart& span : spans) {
    OnEveryDevice(span.begin_ns, std::min(span.end_ns, end_ns),
                  NotObservedCause::kRecordingOff);
  }
  return spans;
}

void SampleStage::AfterWatermarks(const RunEnds& ends) {
  if (process_.level == "host" || process_.level == "off") return;
  const auto everywhere = watermarks_.find(trace::kNoIndex);
  for (size_t i = 0; i < process_.devices.size(); ++i) {
    auto mark =
        watermarks_.find(static_cast<uint32_t>(process_.devices[i].ordinal));
    if (mark == watermarks_.end()) mark = everywhere;
    if (mark == watermarks_.end()) continue;
    int64_t begin_ns = timeline_.FromActivity(mark->second);
    if (i < ends.devices_ns.size()) {
      begin_ns = std::max(begin_ns, ends.devices_ns[i]);
    }
    if (begin_ns < *ends.calls_ns) {
      process_.not_observed.push_back({DeviceId(i), begin_ns, *ends.calls_ns,
                                       NotObservedCause::kAfterWatermark});
    }
  }
}

void SampleStage::Finish(std::vector<std::pair<int64_t, bool>> windows,
                         const RunEnds& ends) {
  process_.has_cpu_samples = !process_.cpu_samples.empty();
  for (const auto& [entry, calls] : call_counts_) {
    process_.counted.push_back(
        {definitions_.Entry(static_cast<uint16_t>(entry)).entry, calls});
  }
  for (const trace::NotObservedRecord& span : everywhere_) {
    OnEveryDevice(timeline_.FromActivity(span.begin_ns),
                  timeline_.FromActivity(span.end_ns), CauseOf(span.cause));
  }
  if (!ends.calls_ns) return;
  CloseDelays(*ends.calls_ns);
  windows.insert(windows.end(), windows_.begin(), windows_.end());
  unrecorded_ = CloseSwitches(std::move(windows), *ends.calls_ns);
  CloseSwitches(std::move(levels_), *ends.calls_ns);
  AfterWatermarks(ends);
}

}  // namespace dltap::analyzer
