// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/ranks_json.h"

#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {
namespace {

void WriteValue(const Answer::Value& value, JsonWriter& json) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    json.Value(std::string_view(*text));
  } else if (const auto* whole = std::get_if<int64_t>(&value)) {
    json.Value(*whole);
  } else if (const auto* real = std::get_if<double>(&value)) {
    json.Value(*real);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    json.Value(*flag);
  } else {
    json.Null();
  }
}

void WriteAnswer(const Answer& answer, JsonWriter& json) {
  json.BeginArray();
  for (size_t row = 0; row < answer.size(); ++row) {
    json.BeginObject();
    for (size_t c = 0; c < answer.columns().size(); ++c) {
      json.Key(answer.columns()[c]);
      WriteValue(answer.row(row)[c], json);
    }
    json.EndObject();
  }
  json.EndArray();
}

void WriteTexts(const char* name, const std::vector<std::string>& texts,
                JsonWriter& json) {
  json.Key(name);
  json.BeginArray();
  for (const std::string& text : texts) json.Value(std::string_view(text));
  json.EndArray();
}

void WriteJudged(const JudgedRank& rank, JsonWriter& json) {
  json.BeginObject();
  json.Field("rank", rank.rank);
  json.Field("host", rank.host);
  json.Field("cause", rank.cause);
  json.Field("since_step", rank.since_step);
  json.Field("until_step", rank.until_step);
  json.Field("blame_ms_per_step", rank.blame_ms);
  json.Field("step_ms", rank.step_ms);
  json.Field("ms_per_step", rank.cause_ms);
  json.Field("slower_by", rank.slower_by);
  json.Field("alone", rank.is_alone);
  json.Field("named_by_late", rank.is_late);
  json.Field("named_by_stragglers", rank.is_straggler);
  json.Field("named_by_cause", rank.has_cause());
  json.EndObject();
}

// Rows without names: there may be many.
void WriteMap(const RankMap& map, JsonWriter& json) {
  json.BeginObject();
  json.Field("ranks_per_row", map.ranks_per_row);
  json.Field("steps_per_column", map.steps_per_column);
  WriteTexts("columns", map.cells.columns(), json);
  json.Key("rows");
  json.BeginArray();
  for (size_t row = 0; row < map.cells.size(); ++row) {
    json.BeginArray();
    for (const Answer::Value& value : map.cells.row(row)) {
      WriteValue(value, json);
    }
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
}

void WriteWhatIf(const std::optional<WhatIfRanks>& what_if, JsonWriter& json) {
  json.Key("what_if");
  if (!what_if) return json.Null();
  json.BeginObject();
  json.Field("recorded_ns", what_if->recorded_ns);
  json.Field("replayed_ns", what_if->replayed_ns);
  json.Field("ideal_ns", what_if->ideal_ns);
  json.Field("own_share", what_if->Share(what_if->own_share));
  json.Field("transfer_share", what_if->Share(what_if->transfer_share));
  json.Field("mended_share", what_if->Share(what_if->mended_share));
  json.EndObject();
}

}  // namespace

std::string RanksJson(const RanksReport& report) {
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", "dltap.ranks");
  json.Field("version", 1);
  json.Field("dataset", report.folder);
  json.Field("run", report.run);
  WriteTexts("warnings", report.warnings, json);
  WriteTexts("verdict", report.verdict, json);
  WriteWhatIf(report.what_if, json);
  json.Key("worst");
  json.BeginArray();
  for (size_t i = 0; i < report.judged.size() && i < kWorstRanks; ++i) {
    WriteJudged(report.judged[i], json);
  }
  json.EndArray();
  json.Key("heatmap");
  WriteMap(report.map, json);
  json.Key("runs");
  WriteAnswer(report.runs, json);
  json.Key("answers");
  json.BeginObject();
  for (const auto& [question, answer] : report.answers) {
    json.Key(question);
    WriteAnswer(answer, json);
  }
  json.EndObject();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace dltap::analyzer
