// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/chrome_trace.h"

#include <cstdio>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/name_rules.h"
#include "analyzer/metrics/efficiency.h"
#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {
namespace {

// Viewers group rows by pid; devices get ids that no process has.
constexpr int64_t kFirstDevicePid = 1'000'000'000;

class ChromeWriter {
 public:
  ChromeWriter(const TraceModel& model, const Attribution& attribution,
               const std::function<void(std::string_view)>& write)
      : model_(model), attribution_(attribution), write_(write) {}

  void Run() {
    write_("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    for (size_t p = 0; p < model_.processes.size(); ++p) {
      WriteNames(p);
      WriteCalls(p);
      WriteRanges(p);
      WriteActivities(p);
    }
    write_("\n]}\n");
  }

 private:
  int64_t HostPid(size_t p) const { return model_.processes[p].pid; }
  int64_t DevicePid(size_t p, DeviceId device) const {
    return kFirstDevicePid + static_cast<int64_t>(p) * 64 +
           static_cast<int64_t>(device.value());
  }
  int64_t Tid(size_t p, ThreadId thread) const {
    const auto& threads = model_.processes[p].threads;
    return thread.value() < threads.size()
               ? static_cast<int64_t>(threads[thread.value()].tid)
               : static_cast<int64_t>(thread.value());
  }

  void Begin(std::string_view phase, std::string_view name, int64_t pid,
             int64_t tid) {
    json_.BeginObject();
    json_.Field("ph", phase);
    json_.Field("name", name);
    json_.Field("pid", pid);
    json_.Field("tid", tid);
  }

  // JSON has no integer with a point; the digits are put in by hand.
  void Time(std::string_view key, int64_t ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%s%lld.%03lld", ns < 0 ? "-" : "",
                  std::llabs(ns) / 1000, std::llabs(ns) % 1000);
    json_.RawField(key, text);
  }

  void End() {
    json_.EndObject();
    write_(is_first_ ? "" : ",\n");
    is_first_ = false;
    write_(json_.TakeElement());
  }

  void Span(int64_t begin_ns, int64_t end_ns) {
    Time("ts", begin_ns);
    Time("dur", end_ns - begin_ns);
  }

  void Name(std::string_view what, const std::string& name, int64_t pid,
            int64_t tid) {
    Begin("M", what, pid, tid);
    json_.Key("args");
    json_.BeginObject();
    json_.Field("name", name);
    json_.EndObject();
    End();
  }

  void WriteNames(size_t p) {
    const Process& process = model_.processes[p];
    const std::string who =
        process.program +
        (process.rank ? " rank " + std::to_string(*process.rank) : "");
    Name("process_name", who, HostPid(p), 0);
    for (size_t t = 0; t < process.threads.size(); ++t) {
      Name("thread_name", process.threads[t].name, HostPid(p),
           Tid(p, ThreadId(t)));
    }
    for (size_t d = 0; d < process.devices.size(); ++d) {
      const Device& device = process.devices[d];
      Name("process_name",
           "GPU " + std::to_string(device.ordinal) + " " + device.name,
           DevicePid(p, DeviceId(d)), 0);
    }
    for (const Stream& stream : process.streams) {
      Name("thread_name", "stream " + std::to_string(stream.number),
           DevicePid(p, stream.device), static_cast<int64_t>(stream.number));
    }
  }

  void WriteCalls(size_t p) {
    const Process& process = model_.processes[p];
    for (const Call& call : process.calls) {
      const EntryPoint& entry = model_.entry_points[call.entry.value()];
      Begin("X", entry.symbol, HostPid(p), Tid(p, call.thread));
      json_.Field("cat", "call");
      Span(call.begin_ns, call.end_ns);
      json_.Key("args");
      json_.BeginObject();
      for (size_t i = 0; i < entry.args.size(); ++i) {
        if (const auto value = IntArg(entry, process, call, i)) {
          json_.Field(entry.args[i].name, *value);
        }
      }
      if (call.failed) json_.Field("failed", true);
      json_.EndObject();
      End();
    }
  }

  void WriteRanges(size_t p) {
    for (const Range& range : model_.processes[p].ranges) {
      Begin("X", model_.texts[range.name], HostPid(p), Tid(p, range.thread));
      json_.Field("cat", "range");
      Span(range.begin_ns, range.end_ns);
      End();
    }
  }

  void WriteActivities(size_t p) {
    const Process& process = model_.processes[p];
    for (size_t i = 0; i < process.activities.size(); ++i) {
      const Activity& activity = process.activities[i];
      const Attributed& attributed = attribution_.processes[p].activities[i];
      const int64_t pid = DevicePid(p, activity.device);
      const int64_t tid =
          static_cast<int64_t>(process.streams[activity.stream.value()].number);
      Begin("X", NameOf(activity), pid, tid);
      json_.Field("cat", analyzer::Name(attributed.layer_class));
      Span(activity.begin_ns, activity.end_ns);
      json_.Key("args");
      json_.BeginObject();
      json_.Field("class", analyzer::Name(attributed.layer_class));
      json_.Field("direction", analyzer::Name(attributed.direction));
      json_.Field("joined_by", analyzer::Name(attributed.joined_by));
      json_.Field("class_from", analyzer::Name(attributed.class_from));
      if (attributed.autotune) json_.Field("autotune", true);
      json_.Field("correlation", activity.correlation);
      if (activity.bytes != 0) json_.Field("bytes", activity.bytes);
      WriteEvidence(p, activity, attributed);
      json_.EndObject();
      End();
      if (attributed.submitted_by.known()) {
        WriteFlow(p, attributed.submitted_by, activity, pid, tid);
      }
    }
  }

  // What the class could also rest on, so that one can score the rules.
  void WriteEvidence(size_t p, const Activity& activity,
                     const Attributed& attributed) {
    if (activity.kind != ActivityKind::kKernel) return;
    const NameRule* by_name = RuleOf(activity.name);
    json_.Key("class_by_name");
    by_name == nullptr ? json_.Null()
                       : json_.Value(analyzer::Name(by_name->layer_class));
    if (activity.annotation.known()) {
      const auto& ranges = model_.processes[p].ranges;
      json_.Field("operator",
                  model_.texts[ranges[activity.annotation.value()].name]);
    }
    if (attributed.ruling.known()) WriteOperatorClass(p, attributed.ruling);
    const Efficiency work =
        EfficiencyOf(attribution_.processes[p], activity, attributed,
                     activity.end_ns - activity.begin_ns, nullptr);
    if (work.known_ns > 0) json_.Field("flops", work.flops);
    if (work.bytes_ns > 0) {
      json_.Field("bytes", work.bytes);
      json_.Field("bytes_least", work.bytes_least);
    }
  }

  void WriteOperatorClass(size_t p, RangeId id) {
    const Range& range = model_.processes[p].ranges[id.value()];
    const NameRule* rule = MatchOperatorName(model_.texts[range.name]);
    if (rule == nullptr) return;
    json_.Field("class_by_operator", analyzer::Name(rule->layer_class));
  }

  const NameRule* RuleOf(TextId name) {
    const auto [it, is_new] = rules_.try_emplace(name.value());
    if (is_new) it->second = MatchKernelName(Demangle(model_.texts[name]));
    return it->second;
  }

  void WriteFlow(size_t p, CallId from, const Activity& to, int64_t pid,
                 int64_t tid) {
    const Call& call = model_.processes[p].calls[from.value()];
    ++flow_;
    Begin("s", "launch", HostPid(p), Tid(p, call.thread));
    json_.Field("cat", "launch");
    json_.Field("id", flow_);
    Time("ts", call.begin_ns);
    End();
    Begin("f", "launch", pid, tid);
    json_.Field("cat", "launch");
    json_.Field("id", flow_);
    json_.Field("bp", "e");
    Time("ts", to.begin_ns);
    End();
  }

  std::string NameOf(const Activity& activity) const {
    switch (activity.kind) {
      case ActivityKind::kKernel: return Demangle(model_.texts[activity.name]);
      case ActivityKind::kMemset: return "memset";
      case ActivityKind::kMemcpy: break;
    }
    switch (activity.copy) {
      case CopyKind::kHostToDevice: return "memcpy HtoD";
      case CopyKind::kDeviceToHost: return "memcpy DtoH";
      case CopyKind::kPeer: return "memcpy PtoP";
      default: return "memcpy DtoD";
    }
  }

  const TraceModel& model_;
  const Attribution& attribution_;
  const std::function<void(std::string_view)>& write_;
  JsonWriter json_;
  absl::flat_hash_map<size_t, const NameRule*> rules_;  // by kernel name
  bool is_first_ = true;
  uint64_t flow_ = 0;
};

}  // namespace

void WriteChromeTrace(const TraceModel& model, const Attribution& attribution,
                      const std::function<void(std::string_view)>& write) {
  ChromeWriter(model, attribution, write).Run();
}

}  // namespace dltap::analyzer
