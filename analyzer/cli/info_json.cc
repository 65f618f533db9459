// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/info_json.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "analyzer/model/library_version.h"
#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {
namespace {

constexpr const char* kFormats[] = {"dltap", "kineto", "nsys"};

// What traces leave empty is unknown.
std::optional<std::string> Known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
std::optional<int64_t> Known(int64_t number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}
std::optional<int64_t> Known(const std::optional<int>& number) {
  return number ? std::optional<int64_t>(*number) : std::nullopt;
}

void Begin(JsonWriter& json, const char* schema) {
  json.BeginObject();
  json.Field("schema", schema);
  json.Field("version", 1);
}

void WriteLosses(JsonWriter& json, const Process& process) {
  json.Key("losses");
  json.BeginArray();
  for (const Loss& loss : process.losses) {
    if (loss.count == 0) continue;
    json.BeginObject();
    json.Field("cause", loss.cause);
    json.Field("count", loss.count);
    json.Field("meaning", loss.meaning);
    json.EndObject();
  }
  json.EndArray();
}

// What `info` and `check` both tell of a process.
void WriteState(JsonWriter& json, const Process& process) {
  json.Field("host", Known(process.host));
  json.Field("pid", process.pid);
  json.Field("complete", process.complete);
  json.Field("level", process.level);
  json.Field("level_reason", Known(process.level_reason));
  WriteLosses(json, process);
}

void WriteDevice(JsonWriter& json, const Device& device) {
  json.BeginObject();
  json.Field("id", device.ordinal);
  json.Field("name", Known(device.name));
  json.Field("uuid", Known(device.uuid));
  json.Field("compute_capability",
             device.compute_major > 0
                 ? std::optional(absl::StrCat(device.compute_major, ".",
                                              device.compute_minor))
                 : std::nullopt);
  json.Field("sms", Known(int64_t{device.sms}));
  json.Field("memory_bytes", Known(device.memory_bytes));
  json.Field("simulated", device.simulated);
  json.EndObject();
}

void WriteProgram(JsonWriter& json, const Process& process) {
  json.Field("program", Known(process.program));
  json.Key("command");
  json.BeginArray();
  for (const std::string& word : process.command) json.Value(word);
  json.EndArray();
  json.Field("command_is_cut", process.command_is_cut);
  json.Field("framework", Known(process.framework));
  json.Key("libraries");
  json.BeginArray();
  for (const LibraryVersion& version : process.libraries) {
    json.BeginObject();
    json.Field("library", version.library);
    json.Field("version", VersionText(version));
    json.EndObject();
  }
  json.EndArray();
  json.Field("rank", Known(process.rank));
  json.Field("world_size", Known(process.world_size));
}

void WriteContents(JsonWriter& json, const Process& process) {
  json.Field("duration_ns", process.end_ns - process.begin_ns);
  json.Field("calls", uint64_t{process.calls.size()});
  json.Field("threads", uint64_t{process.threads.size()});
  json.Field("kernels", CountOf(process, ActivityKind::kKernel));
  json.Field("copies", CountOf(process, ActivityKind::kMemcpy));
  json.Field("memsets", CountOf(process, ActivityKind::kMemset));
  json.Field("ranges", uint64_t{process.ranges.size()});
  json.Field("clock_residual_ns", process.clock_residual_ns);
}

void WriteOpenCalls(JsonWriter& json, const TraceModel& model,
                    const Process& process) {
  json.Key("open_calls");
  json.BeginArray();
  for (const OpenCall& call : process.open_calls) {
    const Thread& thread = process.threads[call.thread.value()];
    json.BeginObject();
    json.Field("function", model.entry_points[call.entry.value()].symbol);
    json.Field("thread", thread.tid);
    json.Field("for_ns",
               std::max<int64_t>(0, LastSeenNs(process) - call.begin_ns));
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

int64_t CountOf(const Process& process, ActivityKind kind) {
  return std::count_if(
      process.activities.begin(), process.activities.end(),
      [kind](const Activity& activity) { return activity.kind == kind; });
}

std::string InfoJson(const TraceModel& model) {
  JsonWriter json;
  Begin(json, "dltap.info");
  json.Field("format", kFormats[static_cast<size_t>(model.format)]);
  json.Key("files");
  json.BeginArray();
  for (const std::string& file : model.files) json.Value(file);
  json.EndArray();
  json.Key("processes");
  json.BeginArray();
  for (const Process& process : model.processes) {
    json.BeginObject();
    WriteState(json, process);
    WriteProgram(json, process);
    WriteContents(json, process);
    json.Key("devices");
    json.BeginArray();
    for (const Device& device : process.devices) WriteDevice(json, device);
    json.EndArray();
    WriteOpenCalls(json, model, process);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

std::string CheckJson(const TraceModel& model,
                      const std::vector<std::string>& problems, bool whole) {
  JsonWriter json;
  Begin(json, "dltap.check");
  json.Field("whole", whole);
  json.Key("problems");
  json.BeginArray();
  for (const std::string& problem : problems) json.Value(problem);
  json.EndArray();
  json.Key("processes");
  json.BeginArray();
  for (const Process& process : model.processes) {
    json.BeginObject();
    WriteState(json, process);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace dltap::analyzer
