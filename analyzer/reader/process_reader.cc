// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/process_reader.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "analyzer/model/simulation_marks.h"
#include "analyzer/reader/captured_calls.h"
#include "analyzer/reader/missing_ids.h"
#include "analyzer/reader/unrecorded.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

using trace::DecodeStatus;
using trace::LossKind;
using trace::RecordKind;
using trace::RecordView;

constexpr int64_t kBegin = std::numeric_limits<int64_t>::min();
constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
// Parts with less time between them are taken together.
constexpr int64_t kOnePartNs = 10'000'000;
// Of the run, to count the events in.
constexpr size_t kBins = 1 << 16;

bool Holds(const std::vector<TimePart>& parts, int64_t at_ns) {
  return std::ranges::any_of(
      parts, [at_ns](const TimePart& part) { return part.Holds(at_ns); });
}

template <typename Event>
void EraseOutside(const std::vector<TimePart>& parts,
                  std::vector<Event>& events) {
  std::erase_if(events, [&parts](const Event& event) {
    return !Holds(parts, event.begin_ns);
  });
}

void AddPart(const Call& call, std::vector<TimePart>& parts) {
  if (parts.empty() || call.begin_ns > parts.back().end_ns + kOnePartNs ||
      call.end_ns < parts.back().begin_ns - kOnePartNs) {
    parts.push_back({call.begin_ns, call.end_ns + 1});
    return;
  }
  TimePart& last = parts.back();
  last.begin_ns = std::min(last.begin_ns, call.begin_ns);
  last.end_ns = std::max(last.end_ns, call.end_ns + 1);
}

}  // namespace

ProcessReader::ProcessReader(const ProcessFiles& files, ModelBuilder& builder,
                             Process& process,
                             std::vector<std::string>* problems,
                             Progress progress)
    : files_(files),
      model_(builder.model()),
      process_(process),
      problems_(problems),
      progress_(std::move(progress)),
      chunks_(files, losses_, problems),
      definitions_(builder, process, losses_, Header().minor_version),
      calls_(process, definitions_, timeline_, losses_),
      activities_(process, definitions_, timeline_, losses_),
      samples_(process, definitions_, timeline_, losses_) {}

Progress PartOf(const Progress& progress, size_t index, size_t n) {
  if (!progress) return {};
  return [=](double part) {
    progress((static_cast<double>(index) + part) / static_cast<double>(n));
  };
}

template <typename Visit>
void ProcessReader::ForEachChunk(int pass, Visit visit) {
  constexpr size_t kBetweenReports = 64;
  const std::vector<Chunk>& chunks = chunks_.chunks();
  const Progress progress = PartOf(progress_, pass, 2);
  PageReleaser pages;
  for (size_t i = 0; i < chunks.size(); ++i) {
    visit(chunks[i]);
    pages.Passed(*chunks[i].file, chunks[i].offset);
    if (progress && i % kBetweenReports == 0) {
      progress(static_cast<double>(i) / static_cast<double>(chunks.size()));
    }
  }
}

const trace::FileHeader& ProcessReader::Header() const {
  return files_.data.empty() ? files_.rings[0].header : files_.data[0].header;
}

void ProcessReader::Prepare(RealtimeOffsets& offsets) {
  process_.complete = false;
  process_.level = "host";
  ForEachChunk(0, [this](const Chunk& chunk) {
    if (!chunk.is_calls) ReadDefinitions(chunk);
  });
  definitions_.Resolve();
  const trace::FileHeader& header = Header();
  const auto clock = static_cast<trace::ClockKind>(header.clock);
  timeline_.Finish(clock, definitions_.clock().ticks_per_second,
                   {header.boot_id, sizeof(header.boot_id)}, offsets);
  process_.host_clock = timeline_.host_clock();
  if (process_.pid == 0) process_.pid = static_cast<int64_t>(header.pid);
}

void ProcessReader::ReadDefinitions(const Chunk& chunk) {
  trace::RecordReader records(chunk.bytes);
  for (RecordView record; records.Next(&record) == DecodeStatus::kOk;) {
    switch (record.kind()) {
      case RecordKind::kKernel:
      case RecordKind::kMemcpy:
      case RecordKind::kMemset: ++activity_count_; break;
      case RecordKind::kLaunchApi: ++launch_count_; break;
      case RecordKind::kAnchor:
        timeline_.AddAnchor(record.As<trace::AnchorRecord>());
        break;
      case RecordKind::kRingName: {
        std::string_view name;
        if (record.tail().String(&name)) ring_name_ = name;
        break;
      }
      default: definitions_.Add(record);
    }
  }
}

void ProcessReader::ReadAll() {
  Reserve();
  ForEachChunk(1, [this](const Chunk& chunk) { ReadEvents(chunk); });
  calls_.Finish();
  MarkCapturedCalls(model_, process_);
  RestoreMissingIds(model_, process_);
  RunEnds ends;
  for (const Call& call : process_.calls) ends.Add(call);
  for (const Activity& activity : process_.activities) ends.Add(activity);
  FinishSamples(ends);
  EraseUnrecorded(unrecorded_, process_);
}

void ProcessReader::Reserve() {
  size_t payload_bytes = 0;
  for (const Chunk& chunk : chunks_.chunks()) {
    if (!chunk.is_calls) continue;
    payload_bytes += chunk.bytes.size() / 2;
    calls_.Expect(chunk);
  }
  process_.payloads.reserve(payload_bytes);
  process_.activities.reserve(activity_count_);
  process_.launches.reserve(launch_count_);
}

void ProcessReader::ReadEvents(const Chunk& chunk) {
  if (chunk.is_calls) {
    if (!calls_.Read(chunk)) Malformed(chunk);
    return;
  }
  trace::RecordReader records(chunk.bytes);
  RecordView record;
  DecodeStatus status;
  while ((status = records.Next(&record)) == DecodeStatus::kOk) {
    ReadRecord(record);
  }
  if (status == DecodeStatus::kCorrupt) Malformed(chunk);
}

void ProcessReader::ReadRecord(const RecordView& record) {
  if (activities_.Add(record) || samples_.Add(record)) return;
  if (record.kind() == RecordKind::kKernelFunction) {
    calls_.NameFunction(record);
  } else if (record.header.kind == 0 ||
             record.kind() > trace::kLastDefinition) {
    losses_.Add(LossKind::kUnknownRecord);
  }
}

void ProcessReader::FinishSamples(const RunEnds& ends) {
  LookForRing();
  AddOpenCalls();
  samples_.Finish(calls_.windows(), ends);
  unrecorded_ = samples_.unrecorded();
  process_.clock_residual_ns = timeline_.ResidualNs();
  // Whatever recording a call took is not in its fixed cost.
  if (process_.host_clock == HostClock::kFixedCosts) {
    process_.per_call_overhead_ns = 0;
  }
  if (losses_.of(LossKind::kRingFull) < chunks_.dropped_calls()) {
    losses_.Set(LossKind::kRingFull, chunks_.dropped_calls());
  }
  process_.losses = losses_.Rows();
}

// A process that was killed has left its last records in a ring file.
void ProcessReader::LookForRing() {
  if (process_.complete || !files_.rings.empty() || ring_name_.empty()) return;
  losses_.Add(LossKind::kRingMissing);
  problems_->push_back(
      files_.data.back().file.path() + ": its process was killed, and " +
      ring_name_ +
      ", with what it recorded last (0.1 s), is not there; read the trace on "
      "its machine, or let `dltap run` start the program");
}

void ProcessReader::AddOpenCalls() {
  for (const OpenSlot& open : chunks_.open_slots()) {
    if (open.thread_index == trace::kNoIndex) continue;
    process_.open_calls.push_back({timeline_.FromTicks(open.begin_ticks),
                                   definitions_.ThreadOf(open.thread_index),
                                   definitions_.Entry(open.entry_point).entry});
  }
}

// Its checksum was right: a bug of the writer, or a file made by hand.
void ProcessReader::Malformed(const Chunk& chunk) {
  losses_.Add(LossKind::kCorruptBlock);
  problems_->push_back(chunk.file->path() +
                       ": malformed records in the block at " + "byte " +
                       std::to_string(chunk.offset) + ", its rest left out");
}

void ProcessReader::Survey() {
  run_ = {kEnd, kBegin};
  calls_.StartSurvey();
  extents_.reserve(chunks_.chunks().size());
  RunEnds ends;
  ForEachChunk(1, [&](const Chunk& chunk) { SurveyChunk(chunk, ends); });
  calls_.Finish();
  for (const Range& range : process_.ranges) {
    run_.begin_ns = std::min(run_.begin_ns, range.begin_ns);
    run_.end_ns = std::max(run_.end_ns, range.end_ns);
  }
  FinishSamples(ends);
  for (auto* const parts : {&totals_.captures, &meetings_}) {
    std::ranges::sort(*parts, {}, &TimePart::begin_ns);
  }
  if (run_.begin_ns > run_.end_ns) run_ = {0, 0};
  SortEvents(process_);
  long_ranges_ = std::move(process_.ranges);
  process_.ranges.clear();
  KeepOfSurvey();
  process_.begin_ns = run_.begin_ns;
  process_.end_ns = run_.end_ns;
  SpreadEvents();
}

// What a survey is asked for.
void ProcessReader::KeepOfSurvey() {
  std::ranges::copy_if(long_ranges_, std::back_inserter(process_.ranges),
                       [this](const Range& range) {
                         return IsSimulationDomain(model_.texts[range.domain]);
                       });
}

void ProcessReader::SurveyChunk(const Chunk& chunk, RunEnds& ends) {
  Extent& extent = extents_.emplace_back();
  extent.first_ns = kEnd;
  extent.last_ns = kBegin;
  const size_t names = calls_.named_functions();
  ReadEvents(chunk);
  extent.names_functions = calls_.named_functions() != names;
  calls_.Survey([&](const Call& call) {
    AddEvent(call.begin_ns, call.end_ns, extent);
    ends.Add(call);
    ++totals_.calls;
    if (call.capturing) AddPart(call, totals_.captures);
    if (MakesCommunicator(call)) AddPart(call, meetings_);
  });
  totals_.launches += process_.launches.size();
  for (const LaunchRecord& launch : process_.launches) {
    ++extent.events;
    extent.first_ns = std::min(extent.first_ns, launch.begin_ns);
    extent.last_ns = std::max(extent.last_ns, launch.begin_ns);
  }
  totals_.activities += process_.activities.size();
  for (const Activity& activity : process_.activities) {
    AddEvent(activity.begin_ns, activity.end_ns, extent);
    ends.Add(activity);
    const size_t device = activity.device.value();
    if (device >= totals_.of_device.size()) {
      totals_.of_device.resize(device + 1);
    }
    ++totals_.of_device[device];
  }
  extent.samples = process_.off_cpu.size() + process_.switches_known.size() +
                   process_.frames_seen.size();
  extent.events += extent.samples;
  for (const SwitchesKnown& known : process_.switches_known) {
    extent.first_ns = std::min(extent.first_ns, known.begin_ns);
    extent.last_ns = std::max(extent.last_ns, known.end_ns);
  }
  for (const FramesSeen& seen : process_.frames_seen) {
    extent.first_ns = std::min(extent.first_ns, seen.at_ns);
    extent.last_ns = std::max(extent.last_ns, seen.at_ns);
  }
  process_.launches.clear();
  process_.call_sites.clear();
  process_.activities.clear();
  process_.off_cpu.clear();
  process_.switches_known.clear();
  process_.frames_seen.clear();
}

void ProcessReader::AddEvent(int64_t begin_ns, int64_t end_ns, Extent& extent) {
  ++extent.events;
  extent.first_ns = std::min(extent.first_ns, begin_ns);
  extent.last_ns = std::max(extent.last_ns, begin_ns);
  run_.begin_ns = std::min(run_.begin_ns, begin_ns);
  run_.end_ns = std::max(run_.end_ns, end_ns);
}

bool ProcessReader::MakesCommunicator(const Call& call) const {
  const EntryPoint& entry = model_.entry_points[call.entry.value()];
  return entry.info != nullptr &&
         entry.info->library == specs::Library::kNccl &&
         entry.info->kind == specs::Kind::kHandleCreate;
}

void ProcessReader::Shift(int64_t by) {
  timeline_.Shift(by);
  ShiftTimes(process_, by);
  for (Extent& extent : extents_) {
    if (extent.events == 0) continue;
    extent.first_ns += by;
    extent.last_ns += by;
  }
  for (auto* const times : {&totals_.captures, &meetings_, &unrecorded_}) {
    for (TimePart& part : *times) {
      part.begin_ns += by;
      part.end_ns += by;
    }
  }
  for (Range& range : long_ranges_) {
    range.begin_ns += by;
    range.end_ns += by;
  }
  run_ = {process_.begin_ns, process_.end_ns};
}

// Events are taken to be spread evenly over their chunk.
void ProcessReader::SpreadEvents() {
  begun_.assign(kBins + 1, 0);
  const double bin_ns = BinNs();
  const auto place = [&](int64_t at_ns) {
    return static_cast<double>(at_ns - run_.begin_ns) / bin_ns;
  };
  for (const Extent& extent : extents_) {
    if (extent.events == 0) continue;
    // Switches are told before the first call and after the last one, too.
    const double from = std::max(0.0, place(extent.first_ns));
    const double to = std::max(place(extent.last_ns), from + 1e-3);
    const auto last = std::min(static_cast<size_t>(to), kBins - 1);
    for (auto bin = static_cast<size_t>(from); bin <= last; ++bin) {
      const double inside = std::min(to, static_cast<double>(bin + 1)) -
                            std::max(from, static_cast<double>(bin));
      begun_[bin + 1] +=
          static_cast<double>(extent.events) * inside / (to - from);
    }
  }
  for (size_t bin = 0; bin < kBins; ++bin) begun_[bin + 1] += begun_[bin];
}

double ProcessReader::BinNs() const {
  return std::max(1.0,
                  static_cast<double>(run_.end_ns - run_.begin_ns + 1) / kBins);
}

int64_t ProcessReader::TimeAfter(int64_t from_ns, uint64_t events) const {
  const double from = std::clamp(
      static_cast<double>(std::max(from_ns, run_.begin_ns) - run_.begin_ns) /
          BinNs(),
      0.0, static_cast<double>(kBins) - 1e-6);
  const auto bin = static_cast<size_t>(from);
  const double begun = begun_[bin] + (from - static_cast<double>(bin)) *
                                         (begun_[bin + 1] - begun_[bin]);
  const double wanted = begun + static_cast<double>(events);
  const auto after = std::upper_bound(begun_.begin(), begun_.end(), wanted);
  if (after == begun_.end()) return kEnd;
  const auto bins = static_cast<double>(after - begun_.begin());
  const auto time = static_cast<int64_t>(bins * BinNs());
  return std::max(run_.begin_ns + time, from_ns) + 1;
}

bool ProcessReader::IsWanted(size_t chunk,
                             const std::vector<TimePart>& parts) const {
  const Extent& extent = extents_[chunk];
  return extent.events > 0 &&
         std::ranges::any_of(parts, [&](const TimePart& part) {
           return extent.last_ns >= part.begin_ns &&
                  extent.first_ns < part.end_ns;
         });
}

void ProcessReader::ReserveParts(const std::vector<TimePart>& parts) {
  const std::vector<Chunk>& chunks = chunks_.chunks();
  size_t payload_bytes = 0;
  size_t records = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (!IsWanted(i, parts)) continue;
    if (chunks[i].is_calls) {
      calls_.Expect(chunks[i]);
      payload_bytes += chunks[i].bytes.size() / 2;
    } else {
      records += extents_[i].events - extents_[i].samples;
    }
  }
  process_.payloads.reserve(payload_bytes);
  process_.activities.reserve(records);
  process_.launches.reserve(records);
}

Process ProcessReader::ReadParts(const std::vector<TimePart>& parts) {
  Process without_events = process_;
  process_.ranges.clear();
  const size_t graph_nodes = process_.graph_nodes.size();
  calls_.Reread();
  ReserveParts(parts);
  const std::vector<Chunk>& chunks = chunks_.chunks();
  PageReleaser pages;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (extents_[i].names_functions) NameFunctions(chunks[i]);
    if (!IsWanted(i, parts)) continue;
    if (chunks[i].is_calls) {
      calls_.Read(chunks[i]);
    } else {
      trace::RecordReader records(chunks[i].bytes);
      for (RecordView record; records.Next(&record) == DecodeStatus::kOk;) {
        if (!activities_.Add(record)) samples_.AddOfThread(record);
      }
    }
    pages.Passed(*chunks[i].file, chunks[i].offset);
  }
  process_.graph_nodes.resize(graph_nodes);
  calls_.Finish();
  MarkCapturedCalls(model_, process_);
  RestoreMissingIds(model_, process_);
  KeepOnly(parts);
  return std::exchange(process_, std::move(without_events));
}

void ProcessReader::NameFunctions(const Chunk& chunk) {
  trace::RecordReader records(chunk.bytes);
  for (RecordView record; records.Next(&record) == DecodeStatus::kOk;) {
    if (record.kind() == RecordKind::kKernelFunction) {
      calls_.NameFunction(record);
    }
  }
}

void ProcessReader::KeepOnly(const std::vector<TimePart>& parts) {
  EraseUnrecorded(unrecorded_, process_);
  EraseOutside(parts, process_.calls);
  EraseOutside(parts, process_.launches);
  EraseOutside(parts, process_.activities);
  EraseOutside(parts, process_.ranges);
  for (const Range& range : long_ranges_) {
    if (std::ranges::any_of(parts, [&](const TimePart& part) {
          return range.end_ns >= part.begin_ns && range.begin_ns < part.end_ns;
        })) {
      process_.ranges.push_back(range);
    }
  }
  const auto is_late = [&parts](const auto& sample) {
    return !parts.back().Holds(sample.at_ns);
  };
  std::erase_if(process_.cpu_samples, is_late);
  std::erase_if(process_.frames_seen, is_late);
  const auto is_outside = [&parts](const auto& span) {
    return span.end_ns < parts.back().begin_ns ||
           span.begin_ns >= parts.back().end_ns;
  };
  std::erase_if(process_.off_cpu, is_outside);
  std::erase_if(process_.switches_known, is_outside);
  SortEvents(process_);
  process_.begin_ns = run_.begin_ns;
  process_.end_ns = run_.end_ns;
}

}  // namespace dltap::analyzer
