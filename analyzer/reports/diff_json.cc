// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "analyzer/output/json_writer.h"
#include "analyzer/reports/command_line.h"
#include "analyzer/reports/diff_report.h"
#include "analyzer/reports/diff_sentence.h"

namespace dltap::analyzer {
namespace {

// The fields of a change in the object that is open.
void WriteChange(const Change& change, JsonWriter& json) {
  json.Field("base", change.base);
  json.Field("new", change.now);
  json.Field("change", change.change);
  json.Field("relative", change.relative);
  json.Key("interval");
  if (change.interval) {
    json.BeginArray();
    for (const double end : *change.interval) json.Value(end);
    json.EndArray();
  } else {
    json.Null();
  }
  json.Field("margin", change.margin());
  json.Field("significant", change.is_significant());
}

void WriteChange(std::string_view key, const Change& change, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  WriteChange(change, json);
  json.EndObject();
}

void WriteName(std::string_view key, std::string_view name, JsonWriter& json) {
  json.Key(key);
  name.empty() ? json.Null() : json.Value(name);
}

void WriteSide(std::string_view key, const Side& side, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  json.Key("files");
  json.BeginArray();
  for (const std::string& file : side.summary->files) json.Value(file);
  json.EndArray();
  WriteName("command", CommandsText(*side.summary), json);
  json.Field("simulated", side.summary->simulated);
  json.Key("gpus");
  json.BeginArray();
  for (const auto& [name, count] : side.figures->program.gpus) {
    json.BeginObject();
    json.Field("name", name);
    json.Field("count", count.devices);
    json.EndObject();
  }
  json.EndArray();
  json.Field("processes", side.figures->program.processes);
  json.Field("steps", side.figures->steps.used);
  json.EndObject();
}

// Those that bar comparing, or the others.
void WriteUnlike(std::string_view key, const Difference& difference,
                 bool barring, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const Unlike& each : difference.unlike) {
    if ((BarsOf(each.what) == Bars::kAll) != barring) continue;
    json.BeginObject();
    json.Field("id", Name(each.what));
    json.Field("text", UnlikeText(each));
    WriteName("base", each.base, json);
    WriteName("new", each.now, json);
    json.Field("share", each.share);
    json.Field("step_share", each.step_share);
    json.Field("bars_rules", BarsOf(each.what) != Bars::kNothing);
    json.EndObject();
  }
  json.EndArray();
}

std::string_view Name(SeriesKind kind) {
  constexpr std::string_view kNames[] = {"kernels", "class", "idle", "phase",
                                         "not_observed"};
  return kNames[static_cast<size_t>(kind)];
}

void WritePart(const PartChange& part, JsonWriter& json) {
  const bool of_class = part.key.kind == SeriesKind::kLead;
  json.BeginObject();
  json.Field("name", PartText(part.key));
  json.Field("kind", Name(part.key.kind));
  WriteName(
      "class",
      of_class ? specs::Name(static_cast<LayerClass>(part.key.index)) : "",
      json);
  WriteName("pass", Name(part.key.pass), json);
  WriteName("base_precision", part.base_precision, json);
  WriteName("new_precision", part.now_precision, json);
  WriteChange("ns", part.ns, json);
  json.EndObject();
}

void WriteRow(const RowChange& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", row.name);
  WriteName("class", row.layer_class ? specs::Name(*row.layer_class) : "",
            json);
  json.Field("presence", Name(row.presence));
  WriteChange("ns", row.ns, json);
  WriteChange("count", row.count, json);
  json.EndObject();
}

void WriteQuantity(const QuantityChange& quantity, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", quantity.name);
  json.Field("unit", Name(quantity.row->unit));
  WriteChange(quantity.change, json);
  json.EndObject();
}

void WriteJudgement(const Judgement& judgement, JsonWriter& json) {
  json.BeginObject();
  json.Field("rule", judgement.rule.text);
  json.Field("quantity", judgement.rule.quantity);
  json.Field("verdict", Name(judgement.verdict));
  WriteChange(judgement.change, json);
  json.EndObject();
}

template <typename Rows, typename Write>
void WriteList(std::string_view key, const Rows& rows, Write write,
               JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const auto& row : rows) write(row, json);
  json.EndArray();
}

}  // namespace

std::string DiffJson(const DiffReport& report) {
  const Difference& difference = *report.difference;
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", "dltap.diff");
  json.Field("version", 1);
  json.Field("sentence", DiffSentence(difference));
  WriteSide("base", report.base, json);
  WriteSide("new", report.now, json);
  WriteUnlike("not_comparable", difference, true, json);
  WriteUnlike("unlike", difference, false, json);
  json.Field("per", difference.by_steps ? "step" : "run");
  WriteList("rules", report.judgements, WriteJudgement, json);
  WriteChange("step_ns", difference.step, json);
  WriteList("parts", difference.parts, WritePart, json);
  json.Field("leading_parts", static_cast<uint64_t>(difference.leading));
  json.Field("rest_ns", difference.rest_ns);
  json.Field("unexplained_ns", difference.unexplained_ns);
  WriteList("quantities", difference.quantities, WriteQuantity, json);
  json.Key("by");
  json.BeginObject();
  for (size_t i = 0; i < difference.rows.size(); ++i) {
    WriteList(Name(static_cast<DifferenceBy>(i)), difference.rows[i], WriteRow,
              json);
  }
  json.EndObject();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace dltap::analyzer
