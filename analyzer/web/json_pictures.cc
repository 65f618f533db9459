// SPDX-License-Identifier: Apache-2.0
#include "analyzer/web/json_pictures.h"

#include <vector>

#include "analyzer/metrics/figures/layer_branches.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/reports/json_rows.h"
#include "analyzer/reports/limit_sentence.h"

namespace dltap::analyzer {
namespace {

// WRITE gives a number for each row.
template <typename Rows, typename Write>
void WriteColumn(std::string_view key, const Rows& rows, JsonWriter& json,
                 Write write) {
  json.Key(key);
  json.BeginArray();
  for (const auto& row : rows) json.Value(write(row));
  json.EndArray();
}

template <typename Rows, typename Write>
void WriteNumbers(std::string_view key, const Rows& rows, JsonWriter& json,
                  Write write) {
  WriteColumn(key, rows, json, [&](const auto& row) {
    return static_cast<int64_t>(write(row));
  });
}

template <typename Enum>
void WriteNames(std::string_view key, size_t count, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (size_t i = 0; i < count; ++i) json.Value(Name(static_cast<Enum>(i)));
  json.EndArray();
}

// What the device does while a class leads.
void WriteStates(JsonWriter& json) {
  constexpr std::string_view kStates[] = {"compute", "comm", "copy"};
  json.Key("states");
  json.BeginObject();
  for (size_t i = 0; i < kClassCount; ++i) {
    const auto of = static_cast<LayerClass>(i);
    json.Field(Name(of), kStates[static_cast<size_t>(StateOf(of))]);
  }
  json.EndObject();
}

// By how much each row's begin lies behind that of the row before.
template <typename Rows, typename Begin>
void WriteBegins(const Rows& rows, int64_t origin_ns, JsonWriter& json,
                 Begin begin) {
  int64_t last_ns = origin_ns;
  WriteNumbers("begin", rows, json, [&](const auto& row) {
    const int64_t delta_ns = begin(row) - last_ns;
    last_ns = begin(row);
    return delta_ns;
  });
}

void WriteInterval(std::string_view key, Interval span, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  json.Value(span.begin_ns);
  json.Value(span.end_ns);
  json.EndArray();
}

// A column for each key of `kind`; of what has no time anywhere there is none.
template <typename NameOf>
void WriteSeries(std::string_view key, SeriesKind kind,
                 const StepSeries& series, JsonWriter& json, NameOf name_of) {
  json.Key(key);
  json.BeginObject();
  for (const auto& [of, values] : series.all()) {
    if (of.kind != kind) continue;
    WriteNumbers(name_of(of), values, json, [](int64_t ns) { return ns; });
  }
  json.EndObject();
}

std::string NameOfPass(const SeriesKey& of) {
  std::string name(Name(static_cast<LayerClass>(of.index)));
  return name.append("/").append(Name(of.pass));
}

void WriteStrip(const StepStrip& strip, JsonWriter& json) {
  const std::vector<StripStep>& steps = strip.steps;
  json.Key("strip");
  json.BeginObject();
  WriteNumbers("process", steps, json, [](auto& step) { return step.process; });
  WriteNumbers("step", steps, json, [](auto& step) { return step.step; });
  WriteNumbers("count", steps, json, [](auto& step) { return step.count; });
  WriteBegins(steps, 0, json, [](auto& step) { return step.begin_ns; });
  WriteNumbers("ns", steps, json, [](auto& step) { return step.ns; });
  WriteColumn("use", steps, json, [](auto& step) { return Name(step.use); });
  WriteSeries("lead", SeriesKind::kLead, strip.series, json, NameOfPass);
  WriteSeries("kernels", SeriesKind::kKernels, strip.series, json, NameOfPass);
  WriteSeries("idle", SeriesKind::kIdle, strip.series, json,
              [](const SeriesKey& of) {
                return Name(static_cast<IdleCause>(of.index));
              });
  WriteSeries(
      "phases", SeriesKind::kPhase, strip.series, json,
      [](const SeriesKey& of) { return Name(static_cast<Phase>(of.index)); });
  WriteSeries("not_observed", SeriesKind::kNotObserved, strip.series, json,
              [](const SeriesKey&) { return std::string_view("all"); });
  json.EndObject();
}

std::string LayerText(const LayerKey& layer) {
  const auto& [row, identity] = layer;
  if (row != LayerRow::kLayer) return std::string(Name(row));
  std::string text = identity.operation;
  if (!identity.module.empty()) text.append(" in ").append(identity.module);
  if (identity.number > 0) {
    text.append(" #").append(std::to_string(identity.number + 1));
  }
  return text;
}

void WriteOfLayer(const OpRow& op, PictureTexts& names, JsonWriter& json) {
  const auto& kernels = op.sums.kernels;
  json.BeginObject();
  json.Field("name", uint64_t{names.NumberOf(op.name)});
  json.Field("direction", Name(op.direction));
  json.Field("count", op.sums.count);
  json.Field("gpu_ns", op.sums.gpu_ns);
  json.Field("tflops", op.tflops);
  WriteNumbers("kernels", kernels, json,
               [&](auto& kernel) { return names.NumberOf(kernel.first); });
  WriteNumbers("counts", kernels, json,
               [](auto& kernel) { return kernel.second.count; });
  WriteNumbers("ns", kernels, json,
               [](auto& kernel) { return kernel.second.gpu_ns; });
  json.EndObject();
}

void WriteTexts(std::string_view key, const PictureTexts& texts,
                JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts.all()) json.Value(text);
  json.EndArray();
}

void WriteLayers(const LayerTree& tree, JsonWriter& json) {
  PictureTexts names;
  json.Key("layers");
  json.BeginArray();
  for (const LayerBranch& branch : BranchesOf(tree)) {
    json.BeginObject();
    json.Field("class", Name(branch.layer_class));
    json.Field("name", LayerText(branch.layer));
    json.Field("kernels", branch.kernels);
    json.Field("gpu_ns", branch.gpu_ns);
    json.Field("tflops", branch.tflops);
    json.Key("ops");
    json.BeginArray();
    for (const OpRow& op : branch.ops) WriteOfLayer(op, names, json);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  WriteTexts("layer_texts", names, json);
}

void WriteGap(const LongGap& gap, JsonWriter& json) {
  json.BeginObject();
  WriteInterval("span", gap.span, json);
  json.Field("process", uint64_t{gap.process});
  json.Field("step", uint64_t{gap.step});
  json.Field("cause", Name(gap.cause));
  json.Field("cause_ns", gap.cause_ns);
  json.Key("class");
  gap.layer_class ? json.Value(Name(*gap.layer_class)) : json.Null();
  json.Field("before", uint64_t{gap.before});
  json.Field("after", uint64_t{gap.after});
  json.Field("call", uint64_t{gap.call});
  json.Key("timeline");
  gap.timeline ? json.Value(uint64_t{*gap.timeline}) : json.Null();
  json.EndObject();
}

void WriteLane(const PictureLane& lane, int64_t origin_ns, JsonWriter& json) {
  constexpr std::string_view kKinds[] = {"idle", "stream", "thread"};
  json.BeginObject();
  json.Field("kind", kKinds[static_cast<size_t>(lane.kind)]);
  json.Field("name", lane.name);
  WriteBegins(lane.spans, origin_ns, json,
              [](auto& span) { return span.begin_ns; });
  WriteNumbers("ns", lane.spans, json,
               [](auto& span) { return span.end_ns - span.begin_ns; });
  WriteNumbers("text", lane.spans, json, [](auto& span) { return span.name; });
  WriteNumbers("detail", lane.spans, json,
               [](auto& span) { return span.detail; });
  WriteNumbers("count", lane.spans, json,
               [](auto& span) { return span.count; });
  WriteNumbers("color", lane.spans, json, [](auto& span) { return span.kind; });
  WriteNumbers("call", lane.spans, json, [](auto& span) { return span.call; });
  json.EndObject();
}

void WriteTimeline(const TimelinePicture& timeline, JsonWriter& json) {
  json.BeginObject();
  json.Field("which", timeline.which);
  json.Field("process", uint64_t{timeline.process});
  json.Key("step");
  timeline.step ? json.Value(uint64_t{*timeline.step}) : json.Null();
  WriteInterval("window", timeline.window, json);
  WriteInterval("extent", timeline.extent, json);
  json.Field("together", timeline.together);
  json.Key("lanes");
  json.BeginArray();
  for (const PictureLane& lane : timeline.lanes) {
    WriteLane(lane, timeline.extent.begin_ns, json);
  }
  json.EndArray();
  json.EndObject();
}

void WriteDevicePicture(const DevicePicture& device, JsonWriter& json) {
  json.BeginObject();
  WriteColumn("processes", device.processes, json,
              [](const ProcessKey& key) { return ProcessName(key); });
  WriteColumn("ranks", device.processes, json,
              [](const ProcessKey& key) { return key.rank; });
  json.Field("id", device.ordinal);
  json.Field("name", device.name);
  json.Field("bandwidth_gbs", device.bandwidth_gbs);
  json.Key("roofs");
  json.BeginArray();
  for (const Roof& roof : device.roofs) {
    json.BeginObject();
    json.Field("name", roof.name);
    json.Field("tflops", roof.tflops);
    json.EndObject();
  }
  json.EndArray();
  json.Field("steps", device.steps);
  WriteStrip(device.strip, json);
  json.Key("gaps");
  json.BeginArray();
  for (const LongGap& gap : device.gaps) WriteGap(gap, json);
  json.EndArray();
  json.Key("timelines");
  json.BeginArray();
  for (const auto& timeline : device.timelines) WriteTimeline(timeline, json);
  json.EndArray();
  json.EndObject();
}

}  // namespace

std::string JsonPictures(const Figures& figures, const Pictures* pictures) {
  const Pictures none;
  const Pictures& drawn = pictures != nullptr ? *pictures : none;
  JsonWriter json;
  json.BeginObject();
  json.Field("limit", LimitSentence(figures));
  WriteNames<LayerClass>("classes", kClassCount, json);
  WriteStates(json);
  WriteNames<IdleCause>("causes", kIdleCauses, json);
  json.Field("drawn", pictures != nullptr);
  WriteTexts("texts", drawn.texts, json);
  json.Key("devices");
  json.BeginArray();
  for (const auto& device : drawn.devices) WriteDevicePicture(device, json);
  json.EndArray();
  WriteLayers(drawn.layers, json);
  json.EndObject();
  return json.Take();
}

}  // namespace dltap::analyzer
