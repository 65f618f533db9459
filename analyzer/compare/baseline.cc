// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/baseline.h"

#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/output/indented_json.h"
#include "analyzer/output/json_writer.h"
#include "simdjson.h"

namespace dltap::analyzer {
namespace {

constexpr double kDigits = 1e6;
constexpr double kWhole = 1e15;  // as an integer: no digit is lost below
constexpr int64_t kVersion = 1;

void WriteRun(const BaselineRun& run, JsonWriter& json) {
  json.BeginObject();
  json.Key("made_with");
  json.BeginObject();
  for (const auto& [name, version] : run.made_with) json.Field(name, version);
  json.EndObject();
  json.Field("per", run.by_steps ? "step" : "run");
  json.Key("quantities");
  json.BeginObject();
  for (const auto& [name, value] : run.quantities) {
    json.Key(name);
    // No exponents in a file for review.
    const bool whole = value == std::round(value) && std::abs(value) < kWhole;
    whole ? json.Value(static_cast<int64_t>(value)) : json.Value(value);
  }
  json.EndObject();
  json.Field("steps", run.steps);
  json.EndObject();
}

// Throws simdjson's errors.
BaselineRun RunOf(simdjson::dom::object object) {
  BaselineRun run;
  for (const auto [name, version] :
       simdjson::dom::object(object["made_with"])) {
    run.made_with[std::string(name)] = std::string_view(version);
  }
  run.by_steps = std::string_view(object["per"]) == "step";
  run.steps = uint64_t(object["steps"]);
  for (const auto [name, value] : simdjson::dom::object(object["quantities"])) {
    run.quantities[std::string(name)] = double(value);
  }
  return run;
}

}  // namespace

BaselineRun BaselineRunOf(const Side& side,
                          std::map<std::string, std::string> made_with) {
  BaselineRun run{.made_with = std::move(made_with),
                  .by_steps = side.has_steps(),
                  .steps = side.figures->steps.used,
                  .quantities = {}};
  for (const auto& [name, quantity] : QuantitiesOf(side)) {
    if (!quantity.row->is_exact || !quantity.value.value) continue;
    const double value = std::round(*quantity.value.value * kDigits) / kDigits;
    if (value == 0 && name.starts_with("class.")) continue;
    run.quantities[name] = value;
  }
  return run;
}

std::string BaselineText(const Baseline& baseline) {
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", "dltap.baseline");
  json.Field("version", kVersion);
  json.Key("programs");
  json.BeginObject();
  for (const auto& [program, gpus] : baseline) {
    json.Key(program);
    json.BeginObject();
    for (const auto& [gpu, run] : gpus) {
      json.Key(gpu);
      WriteRun(run, json);
    }
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
  return Indented(json.Take()) + "\n";
}

absl::StatusOr<Baseline> ParseBaseline(const std::string& text) {
  Baseline out;
  try {
    simdjson::dom::parser parser;
    const simdjson::dom::object root = parser.parse(text);
    if (std::string_view(root["schema"]) != "dltap.baseline") {
      return absl::DataLossError("no baseline of dltap ci");
    }
    const int64_t version = root["version"];
    if (version > kVersion) {
      return absl::UnimplementedError(
          absl::StrCat("version ", version,
                       " of dltap.baseline; this dltap "
                       "knows ",
                       kVersion));
    }
    for (const auto [program, gpus] : simdjson::dom::object(root["programs"])) {
      for (const auto [gpu, run] : simdjson::dom::object(gpus)) {
        out[std::string(program)][std::string(gpu)] = RunOf(run);
      }
    }
  } catch (const simdjson::simdjson_error& error) {
    return absl::DataLossError(
        absl::StrCat("no baseline of dltap ci: ", error.what()));
  }
  return out;
}

std::map<std::string, Change> ChangesOf(const BaselineRun& base,
                                        const BaselineRun& now) {
  std::set<std::string> names;
  for (const BaselineRun* run : {&base, &now}) {
    for (const auto& [name, value] : run->quantities) {
      if (FindQuantity(name) != nullptr) names.insert(name);
    }
  }
  const auto measured = [](const BaselineRun& run, const std::string& name) {
    const auto at = run.quantities.find(name);
    if (at != run.quantities.end()) return Measured{at->second};
    if (name.starts_with("class.")) return Measured{0};
    return Measured{};
  };
  std::map<std::string, Change> out;
  for (const std::string& name : names) {
    out[name] = ChangeOf(measured(base, name), measured(now, name));
  }
  return out;
}

}  // namespace dltap::analyzer
