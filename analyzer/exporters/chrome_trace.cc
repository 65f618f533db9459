// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/chrome_trace.h"

#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "analyzer/exporters/api_records.h"
#include "analyzer/exporters/chrome_device.h"
#include "analyzer/exporters/chrome_event.h"
#include "analyzer/exporters/frames_text.h"
#include "analyzer/model/simulation_marks.h"

namespace dltap::analyzer {
namespace {

std::string_view CategoryOf(RangeKind kind) {
  switch (kind) {
    case RangeKind::kFrameworkOp: return "cpu_op";
    case RangeKind::kPython: return "python_function";
    default: return "user_annotation";
  }
}

class ProcessWriter {
 public:
  ProcessWriter(const ExportInput& input, size_t p, const ByteSink& sink)
      : input_(input),
        p_(p),
        model_(input.model),
        process_(input.model.processes[p]),
        sink_(sink),
        events_(sink),
        devices_(input, p, events_),
        records_(JoinApiRecords(model_, process_)) {
    for (const Activity& activity : process_.activities) {
      if (input.Wants(process_, activity)) {
        wanted_.insert(activity.correlation);
      }
    }
    wanted_.erase(0);
  }

  void Run() {
    WriteHead();
    WriteNames();
    WriteRanges();
    WriteSteps();
    WriteCalls();
    WriteHidden();
    WriteFrames();
    devices_.Write(flows_);
    sink_("\n]}\n");
  }

 private:
  ChromeRow RowOf(ThreadId thread) const {
    const size_t i = thread.value();
    const int64_t tid = i < process_.threads.size()
                            ? static_cast<int64_t>(process_.threads[i].tid)
                            : static_cast<int64_t>(i);
    return {process_.pid, tid};
  }

  void WriteHead() {
    JsonWriter json;
    json.BeginObject();
    json.Field("schemaVersion", 1);
    devices_.WriteProperties(json);
    if (process_.rank) {
      json.Key("distributedInfo");
      json.BeginObject();
      json.Field("rank", *process_.rank);
      if (process_.world_size) json.Field("world_size", *process_.world_size);
      json.EndObject();
    }
    json.Field("displayTimeUnit", "ms");
    json.Field("baseTimeNanoseconds", 0);
    json.Field("traceName", process_.program);
    json.Key("dltap");
    json.BeginObject();
    json.Field("program", process_.program);
    json.Field("host", process_.host);
    json.Field("framework", process_.framework);
    if (process_.host_clock == HostClock::kFixedCosts) {
      json.Field(kHostClockMark, kFixedCostsMark);
    }
    json.EndObject();
    std::string head = json.Take();
    sink_(head);
    sink_(", \"traceEvents\": [\n");
  }

  void WriteNames() {
    const std::string who =
        process_.program +
        (process_.rank ? " rank " + std::to_string(*process_.rank) : "");
    events_.Meta("process_name", who, {process_.pid, 0});
    for (size_t t = 0; t < process_.threads.size(); ++t) {
      events_.Meta("thread_name", process_.threads[t].name, RowOf(ThreadId(t)));
    }
    devices_.WriteNames();
  }

  void WriteRanges() {
    for (size_t i = 0; i < process_.ranges.size(); ++i) {
      const Range& range = process_.ranges[i];
      if (!input_.Wants(range)) continue;
      events_.BeginSpan(CategoryOf(range.kind), model_.texts[range.name],
                        RowOf(range.thread), range.begin_ns, range.end_ns);
      if (range.kind == RangeKind::kFrameworkOp) {
        events_.json().Field("External id", RangeExternalId(i));
      }
      if (range.kind == RangeKind::kPython) {
        events_.json().Field("Python id", RangeExternalId(i));
      }
      if (range.sequence >= 0) {
        events_.json().Field("Sequence number", range.sequence);
      }
      events_.EndSpan();
    }
  }

  void WriteSteps() {
    for (const StepMark& mark : StepMarks(input_, p_)) {
      events_.BeginSpan("user_annotation", mark.name, RowOf(mark.thread),
                        mark.begin_ns, mark.end_ns);
      events_.EndSpan();
    }
  }

  void WriteCalls() {
    for (size_t i = 0; i < process_.calls.size(); ++i) {
      const Call& call = process_.calls[i];
      if (!input_.Wants(call)) continue;
      const EntryPoint& entry = model_.entry_points[call.entry.value()];
      const std::string_view api = ApiCategory(entry);
      const ChromeRow row = RowOf(call.thread);
      events_.BeginSpan(api.empty() ? "cpu_op" : api, ApiName(entry), row,
                        call.begin_ns, call.end_ns);
      if (api.empty()) {
        events_.json().Field("External id", CallExternalId(process_, i));
      }
      // Readers look at one launch to tell whether ids join: 0 is no work's.
      const uint64_t correlation = records_.of_call[i];
      if (!api.empty()) events_.json().Field("correlation", correlation);
      WriteArguments(entry, call);
      events_.EndSpan();
      StartFlow(correlation, row, call.begin_ns);
    }
  }

  // In a place of their own: tools know some of the names.
  void WriteArguments(const EntryPoint& entry, const Call& call) {
    JsonWriter& json = events_.json();
    if (call.failed) json.Field("dltap.failed", true);
    bool any = false;
    for (size_t i = 0; i < entry.args.size(); ++i) {
      const auto value = IntArg(entry, process_, call, i);
      if (!value) continue;
      if (!any) {
        json.Key("dltap.arguments");
        json.BeginObject();
      }
      any = true;
      json.Field(entry.args[i].name, *value);
    }
    if (any) json.EndObject();
  }

  void WriteHidden() {
    for (const HiddenSubmission& record : records_.hidden) {
      if (!input_.Wants(record)) continue;
      const Activity& work = process_.activities[record.activity];
      const ChromeRow row = RowOf(record.thread);
      events_.BeginSpan("cuda_runtime", SubmitterOf(work), row, record.begin_ns,
                        record.end_ns);
      events_.json().Field("correlation", record.correlation);
      events_.json().Field("dltap.name_from", "activity");
      events_.EndSpan();
      StartFlow(record.correlation, row, record.begin_ns);
    }
  }

  void WriteFrames() {
    for (const FramesSeen& seen : process_.frames_seen) {
      if (!input_.Wants(seen.at_ns, seen.at_ns + 1)) continue;
      const FramesText text = TextOf(model_, seen);
      events_.BeginInstant("python_frames", text.place, RowOf(seen.thread),
                           seen.at_ns);
      if (!text.stack.empty()) events_.json().Field("stack", text.stack);
      events_.EndSpan();
    }
  }

  void StartFlow(uint64_t correlation, ChromeRow row, int64_t at_ns) {
    if (!wanted_.contains(correlation)) return;
    if (!flows_.insert(correlation).second) return;
    events_.FlowStart(correlation, row, at_ns);
  }

  const ExportInput& input_;
  const size_t p_;
  const TraceModel& model_;
  const Process& process_;
  const ByteSink& sink_;
  ChromeEvents events_;
  ChromeDevices devices_;
  const ApiRecords records_;
  absl::flat_hash_set<uint64_t> wanted_;  // correlation ids of written work
  absl::flat_hash_set<uint64_t> flows_;   // those of written calls
};

}  // namespace

void WriteChromeTrace(const ExportInput& input, size_t p,
                      const ByteSink& sink) {
  ProcessWriter(input, p, sink).Run();
}

}  // namespace dltap::analyzer
