// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/json_steps.h"

#include <string_view>

#include "analyzer/reports/json_rows.h"

namespace dltap::analyzer {
namespace {

// Whose steps the used ones are.
void WriteUsedBy(const Summary& summary, JsonWriter& json) {
  json.Key("used_by");
  json.BeginArray();
  for (const ProcessSummary& process : summary.processes) {
    if (!process.has_gpu_work || process.steps.used.empty()) continue;
    json.BeginObject();
    json.Field("process", ProcessName(process.key));
    json.Key("used");
    json.BeginArray();
    WriteRanges(process.steps.used, json);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteSelection(const Summary& summary, JsonWriter& json) {
  const Selection& selection = summary.selection;
  const auto write_range = [&json](std::string_view key, auto first,
                                   auto last) {
    json.Key(key);
    json.BeginArray();
    json.Value(first);
    json.Value(last);
    json.EndArray();
  };
  json.Key("selection");
  json.BeginObject();
  json.Field("whole_run", selection.whole_run);
  if (selection.window) {
    write_range("window", selection.window->begin_ns, selection.window->end_ns);
  }
  if (selection.steps) {
    write_range("steps", uint64_t{selection.steps->first},
                uint64_t{selection.steps->second});
  }
  if (selection.warm_up) {
    json.Field("warm_up", uint64_t{*selection.warm_up});
  }
  if (selection.device) json.Field("device", *selection.device);
  if (selection.rank) json.Field("rank", *selection.rank);
  if (selection.process) json.Field("process", *selection.process);
  json.Field("end_ns", summary.end_ns);
  json.EndObject();
}

void WriteSteps(const Summary& summary, const StepFigures& steps,
                JsonWriter& json) {
  json.Key("steps");
  json.BeginObject();
  json.Field("count", steps.found);
  json.Field("used_count", steps.used);
  json.Field("processes", steps.processes);
  json.Field("processes_without", steps.processes_without);
  json.Key("used");
  json.BeginArray();
  for (const ProcessSummary& process : summary.processes) {
    if (process.has_gpu_work) WriteRanges(process.steps.used, json);
  }
  json.EndArray();
  WriteUsedBy(summary, json);
  json.Key("ns");
  json.BeginArray();
  for (const int64_t ns : steps.ns) json.Value(ns);
  json.EndArray();
  json.Field("mean_ns", steps.mean_ns);
  json.Field("stddev_ns", steps.stddev_ns);
  json.Key("ci95_ns");
  if (steps.ci95_ns) {
    json.BeginArray();
    for (const double ns : *steps.ci95_ns) json.Value(ns);
    json.EndArray();
  } else {
    json.Null();
  }
  json.Field("found_by", Name(steps.found_by));
  json.Field("other_count", steps.other_count);
  json.Field("with_module_loads", steps.with_module_loads);
  json.Key("threads_at_once");
  json.BeginArray();
  for (const uint64_t count : steps.threads_at_once) json.Value(count);
  json.EndArray();
  json.EndObject();
}

void WriteCoverage(const Summary& summary, const Coverage& coverage,
                   JsonWriter& json) {
  json.Key("coverage");
  json.BeginObject();
  json.Field("used_gpu_ns", coverage.used_gpu_ns);
  json.Field("outside_gpu_ns", coverage.outside_gpu_ns);
  json.Field("share", coverage.share);
  json.EndObject();
  WriteWindows(coverage.windows, json);
  json.Key("left_out");
  json.BeginArray();
  for (const auto& [reason, sums] : summary.outside.left_out) {
    json.BeginObject();
    json.Field("reason", reason);
    json.Field("steps", sums.steps);
    json.Field("gpu_ns", sums.gpu_ns);
    json.Field("wall_ns",
               sums.steps > 0 ? std::optional(sums.wall_ns) : std::nullopt);
    json.EndObject();
  }
  json.EndArray();
  json.Key("outside_gpu_ns");
  json.BeginObject();
  for (size_t c = 0; c < kClassCount; ++c) {
    const int64_t ns = summary.outside.gpu_ns[c];
    if (ns > 0) json.Field(Name(static_cast<LayerClass>(c)), ns);
  }
  json.EndObject();
}

}  // namespace dltap::analyzer
