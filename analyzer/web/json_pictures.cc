// SPDX-License-Identifier: Apache-2.0
#include "analyzer/web/json_pictures.h"

#include <vector>

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

// Columns of classes and causes that nowhere have time are left out.
template <typename Enum, typename Times>
void WriteTimes(std::string_view key, const std::vector<StripStep>& strip,
                Times StripStep::*times, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  for (size_t i = 0; i < std::tuple_size_v<Times>; ++i) {
    int64_t all_ns = 0;
    for (const StripStep& step : strip) all_ns += (step.*times)[i];
    if (all_ns == 0) continue;
    WriteNumbers(Name(static_cast<Enum>(i)), strip, json,
                 [&](const StripStep& step) { return (step.*times)[i]; });
  }
  json.EndObject();
}

void WriteStrip(const std::vector<StripStep>& strip, JsonWriter& json) {
  json.Key("strip");
  json.BeginObject();
  WriteNumbers("process", strip, json, [](auto& step) { return step.process; });
  WriteNumbers("step", strip, json, [](auto& step) { return step.step; });
  WriteNumbers("count", strip, json, [](auto& step) { return step.count; });
  WriteBegins(strip, 0, json, [](auto& step) { return step.begin_ns; });
  WriteNumbers("ns", strip, json, [](auto& step) { return step.ns; });
  WriteColumn("use", strip, json, [](auto& step) { return Name(step.use); });
  WriteNumbers("not_observed", strip, json,
               [](auto& step) { return step.not_observed_ns; });
  WriteTimes<LayerClass>("classes", strip, &StripStep::class_ns, json);
  WriteTimes<IdleCause>("idle", strip, &StripStep::idle_ns, json);
  json.EndObject();
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
  JsonWriter json;
  json.BeginObject();
  json.Field("limit", LimitSentence(figures));
  WriteNames<LayerClass>("classes", kClassCount, json);
  WriteNames<IdleCause>("causes", kIdleCauses, json);
  json.Field("drawn", pictures != nullptr);
  json.Key("texts");
  json.BeginArray();
  if (pictures != nullptr) {
    for (const std::string& text : pictures->texts.all()) json.Value(text);
  }
  json.EndArray();
  json.Key("devices");
  json.BeginArray();
  if (pictures != nullptr) {
    for (const auto& device : pictures->devices) {
      WriteDevicePicture(device, json);
    }
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace dltap::analyzer
