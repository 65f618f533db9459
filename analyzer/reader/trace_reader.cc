// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/trace_reader.h"

#include <utility>

#include "analyzer/reader/activity_stage.h"
#include "analyzer/reader/call_stage.h"
#include "analyzer/reader/chunk_list.h"
#include "analyzer/reader/definitions.h"
#include "analyzer/reader/sample_stage.h"
#include "analyzer/reader/timeline.h"
#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {
namespace {

using trace::DecodeStatus;
using trace::LossKind;
using trace::RecordKind;
using trace::RecordView;

// Reads one process. Two passes over its chunks: clocks and names are needed
// before the first event, and may stand behind it.
class ProcessReader {
 public:
  ProcessReader(const ProcessFiles& files, ModelBuilder& builder,
                Process& process, std::vector<std::string>* problems)
      : files_(files),
        process_(process),
        problems_(problems),
        chunks_(files, losses_, problems),
        definitions_(builder, process, losses_, Header().minor_version),
        calls_(process, definitions_, timeline_, losses_),
        activities_(process, definitions_, timeline_, losses_),
        samples_(process, definitions_, timeline_, losses_) {}

  void Read(RealtimeOffsets& offsets) {
    process_.complete = false;
    process_.level = "host";
    PageReleaser pages;
    for (const Chunk& chunk : chunks_.chunks()) {
      if (!chunk.is_calls) ReadDefinitions(chunk);
      pages.Passed(*chunk.file, chunk.offset);
    }
    definitions_.Resolve();
    const trace::FileHeader& header = Header();
    timeline_.Finish(static_cast<trace::ClockKind>(header.clock),
                     definitions_.clock().ticks_per_second,
                     {header.boot_id, sizeof(header.boot_id)}, offsets);
    if (process_.pid == 0) process_.pid = static_cast<int64_t>(header.pid);
    Reserve();
    PageReleaser passed;
    for (const Chunk& chunk : chunks_.chunks()) {
      ReadEvents(chunk);
      passed.Passed(*chunk.file, chunk.offset);
    }
    calls_.Finish();
    AddOpenCalls();
    samples_.Finish(calls_.windows());
    process_.clock_residual_ns = timeline_.ResidualNs();
    if (losses_.of(trace::LossKind::kRingFull) < chunks_.dropped_calls()) {
      losses_.Set(trace::LossKind::kRingFull, chunks_.dropped_calls());
    }
    process_.losses = losses_.Rows();
  }

 private:
  const trace::FileHeader& Header() const {
    return files_.data.empty() ? files_.rings[0].header : files_.data[0].header;
  }

  void Reserve() {
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

  void ReadDefinitions(const Chunk& chunk) {
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
        default: definitions_.Add(record);
      }
    }
  }

  void ReadEvents(const Chunk& chunk) {
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

  void AddOpenCalls() {
    for (const OpenSlot& open : chunks_.open_slots()) {
      if (open.thread_index == trace::kNoIndex) continue;
      process_.open_calls.push_back(
          {timeline_.FromTicks(open.begin_ticks),
           definitions_.ThreadOf(open.thread_index),
           definitions_.Entry(open.entry_point).entry});
    }
  }

  void ReadRecord(const RecordView& record) {
    if (activities_.Add(record) || samples_.Add(record)) return;
    if (record.kind() == RecordKind::kKernelFunction) {
      calls_.NameFunction(record);
    } else if (record.header.kind == 0 ||
               record.kind() > trace::kLastDefinition) {
      losses_.Add(LossKind::kUnknownRecord);
    }
  }

  // Its checksum was right: a bug of the writer, or a file made by hand.
  void Malformed(const Chunk& chunk) {
    losses_.Add(LossKind::kCorruptBlock);
    problems_->push_back(chunk.file->path() +
                         ": malformed records in the block at " + "byte " +
                         std::to_string(chunk.offset) + ", its rest left out");
  }

  const ProcessFiles& files_;
  Process& process_;
  std::vector<std::string>* problems_;
  LossCounts losses_;
  size_t activity_count_ = 0;
  size_t launch_count_ = 0;
  ChunkList chunks_;
  Timeline timeline_;
  Definitions definitions_;
  CallStage calls_;
  ActivityStage activities_;
  SampleStage samples_;
};

}  // namespace

absl::StatusOr<TraceModel> ReadTrace(const std::vector<std::string>& paths,
                                     std::vector<std::string>* problems) {
  absl::StatusOr<std::vector<ProcessFiles>> files =
      OpenTraceFiles(paths, problems);
  if (!files.ok()) return files.status();
  return ReadProcesses(*files, problems);
}

TraceModel ReadProcesses(const std::vector<ProcessFiles>& files,
                         std::vector<std::string>* problems) {
  ModelBuilder builder;
  RealtimeOffsets offsets;
  TraceModel& model = builder.model();
  model.format = SourceFormat::kDltap;
  model.processes.reserve(files.size());
  for (const ProcessFiles& process : files) {
    for (const TraceFile& file : process.data) {
      model.files.push_back(file.file.path());
    }
    for (const TraceFile& file : process.rings) {
      model.files.push_back(file.file.path());
    }
    ProcessReader(process, builder, model.processes.emplace_back(), problems)
        .Read(offsets);
  }
  Normalise(model);
  return std::move(model);
}

}  // namespace dltap::analyzer
