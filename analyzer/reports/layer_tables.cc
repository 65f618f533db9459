// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/layer_tables.h"

#include <vector>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr double kMostOfACall = 0.5;
constexpr double kLeastShownNs = 500;  // less is 0.00 ms

// A time of none is left blank: most layers lack most of them.
Cell MsOrBlank(double ns) {
  if (ns < kLeastShownNs) return Blank{};
  return Milliseconds(ns);
}

// So many calls a step, and each of the layers is called more than once.
double MoreThanOnce(const LayerFigures& row) {
  return static_cast<double>(row.layers) + kMostOfACall;
}

// What this report has.
struct Shows {
  bool calls = false;  // they are per step
  bool recompute = false;
};

// "12 conv 3x32x32 -> 32x32x32 k3 x4 in Conv2d", "(update)".
std::string TextOf(const LayerFigures& row, const Shows& shows) {
  if (row.row != LayerRow::kLayer) return std::string(Name(row.row));
  std::string text = std::to_string(row.place) + " " + row.identity.operation;
  if (row.layers > 1) text += " x" + std::to_string(row.layers);
  if (shows.calls && row.step_mean.calls >= MoreThanOnce(row)) {
    text += " (" + Fixed(row.step_mean.calls, 0) + " calls)";
  }
  if (!row.identity.module.empty()) text += " in " + row.identity.module;
  return text;
}

Cell NumberOf(std::optional<double> value, double scale, int decimals) {
  if (!value) return Blank{};
  return Number{*value * scale, decimals};
}

std::string CauseOf(const LayerFigures& row) {
  if (!row.gap_cause || row.step_mean.host_ns < kLeastShownNs) return "";
  return std::string(Name(*row.gap_cause));
}

Cell OfLayer(const LayerFigures& row, uint64_t number) {
  if (row.row != LayerRow::kLayer) return Blank{};
  return static_cast<int64_t>(number);
}

std::string ClassOf(const LayerFigures& row) {
  if (row.row != LayerRow::kLayer) return std::string(Name(row.row));
  return DisplayName(row.identity.layer_class);
}

std::vector<Cell> TextRow(const std::string& name, const LayerFigures& row,
                          const Shows& shows) {
  const LayerShare& step = row.step_mean;
  std::vector<Cell> cells{name, Milliseconds(step.gpu_ns),
                          MsOrBlank(step.forward_ns),
                          MsOrBlank(step.backward_ns)};
  if (shows.recompute) cells.emplace_back(MsOrBlank(step.recompute_ns));
  cells.emplace_back(MsOrBlank(step.glue_ns));
  cells.emplace_back(MsOrBlank(step.host_ns));
  cells.emplace_back(CauseOf(row));
  cells.emplace_back(NumberOf(row.tflops, 1, 1));
  cells.emplace_back(NumberOf(row.of_peak, kPercent, 1));
  return cells;
}

void WriteShare(const LayerShare& step, JsonWriter& json) {
  json.Key("step_mean");
  json.BeginObject();
  json.Field("gpu_ns", step.gpu_ns);
  json.Field("forward_ns", step.forward_ns);
  json.Field("backward_ns", step.backward_ns);
  json.Field("backward_data_ns", step.backward_data_ns);
  json.Field("backward_weight_ns", step.backward_weight_ns);
  json.Field("backward_both_ns", step.backward_both_ns);
  json.Field("recompute_ns", step.recompute_ns);
  json.Field("update_ns", step.update_ns);
  json.Field("unknown_ns", step.unknown_ns);
  json.Field("glue_ns", step.glue_ns);
  json.Field("host_ns", step.host_ns);
  json.Field("device_ns", step.device_ns);
  json.Field("calls", step.calls);
  json.Field("kernels", step.kernels);
  json.EndObject();
}

void WriteText(std::string_view key, std::string_view text, JsonWriter& json) {
  json.Key(key);
  text.empty() ? json.Null() : json.Value(text);
}

void WriteMatches(const std::array<int64_t, kLayerMatches>& match_ns,
                  JsonWriter& json) {
  json.Key("match_ns");
  json.BeginObject();
  for (size_t i = 0; i < kLayerMatches; ++i) {
    json.Field(Name(static_cast<LayerMatch>(i)), match_ns[i]);
  }
  json.EndObject();
}

}  // namespace

Table LayerTextTable(const Figures& figures, const ReportOptions& options) {
  const bool has_steps = figures.steps.found_by != StepsFoundBy::kNone;
  const std::string unit = has_steps ? "ms/step" : "ms";
  Shows shows{.calls = has_steps};
  for (const LayerFigures& row : figures.layers.groups) {
    shows.recompute |= row.step_mean.recompute_ns >= kLeastShownNs;
  }
  Table table;
  table.columns = {{{"", "layer"}, "layer", false},
                   {{"GPU", unit}, "gpu_ms"},
                   {{"fwd", "ms"}, "forward_ms"},
                   {{"bwd", "ms"}, "backward_ms"}};
  if (shows.recompute) {
    table.columns.push_back({{"again", "ms"}, "recompute_ms"});
  }
  table.columns.push_back({{"glue", "ms"}, "glue_ms"});
  table.columns.push_back({{"gap", "ms"}, "host_ms"});
  table.columns.push_back({{"", "cause"}, "cause", false});
  table.columns.push_back({{"", "TFLOP/s"}, "tflops_per_s"});
  table.columns.push_back({{"peak", "%"}, "of_peak_percent"});
  const LayerTables& layers = figures.layers;
  for (const LayerFigures& row : options.wide ? layers.layers : layers.groups) {
    if (row.small && !options.wide) continue;
    table.rows.push_back(TextRow(TextOf(row, shows), row, shows));
  }
  if (layers.small.layers > 0 && !options.wide) {
    table.rows.push_back(
        TextRow("(" + std::to_string(layers.small.layers) + " more)",
                layers.small, shows));
  }
  return table;
}

Table TidyLayerTable(const Figures& figures) {
  Table table;
  for (const char* key : {"place",
                          "class",
                          "operation",
                          "module",
                          "number",
                          "gpu_ms",
                          "share_percent",
                          "forward_ms",
                          "backward_ms",
                          "backward_data_ms",
                          "backward_weight_ms",
                          "recompute_ms",
                          "update_ms",
                          "glue_ms",
                          "host_ms",
                          "cause",
                          "calls",
                          "kernels",
                          "tflops_per_s",
                          "of_peak_percent"}) {
    table.columns.push_back({{}, key});
  }
  for (const LayerFigures& row : figures.layers.layers) {
    const LayerShare& step = row.step_mean;
    table.rows.push_back(
        {OfLayer(row, row.place),
         ClassOf(row),
         row.identity.operation,
         row.identity.module,
         OfLayer(row, row.identity.number),
         Milliseconds(step.gpu_ns),
         PercentCell(row.share),
         Milliseconds(step.forward_ns),
         Milliseconds(step.backward_ns),
         Milliseconds(step.backward_data_ns),
         Milliseconds(step.backward_weight_ns),
         Milliseconds(step.recompute_ns),
         Milliseconds(step.update_ns),
         Milliseconds(step.glue_ns),
         Milliseconds(step.host_ns),
         row.gap_cause ? std::string(Name(*row.gap_cause)) : "",
         Number{step.calls, 1},
         Number{step.kernels, 1},
         KnownCell(row.tflops, 1, 1),
         KnownCell(row.of_peak, kPercent, 1)});
  }
  return table;
}

std::string LayerMatchText(const LayerMatching& matching) {
  if (!matching.matched_share) return "";
  std::string text = "layers: " + PercentText(matching.matched_share) +
                     " of the backward pass belongs to a layer, by";
  std::string separator = " ";
  for (size_t i = 0; i + 1 < kLayerMatches; ++i) {
    const auto match = static_cast<LayerMatch>(i);
    if (matching.match_ns[i] == 0) continue;
    text += separator + std::string(Name(match)) + " " +
            PercentText(matching.by_share[i]);
    separator = ", ";
  }
  return separator == " " ? "" : text;
}

std::string LayerWeightsText(const LayerMatching& matching) {
  if (matching.known_weight_calls == matching.weight_calls) return "";
  return "weights: " + PercentText(matching.known_weight_share) +
         " of the calls of layers that have some tell which; of the others, a "
         "layer that a pass uses twice is two";
}

void WriteLayer(const LayerFigures& row, JsonWriter& json) {
  const bool is_layer = row.row == LayerRow::kLayer;
  json.BeginObject();
  WriteText("row", is_layer ? "layer" : Name(row.row), json);
  json.Field("place", row.place > 0 ? std::optional(row.place) : std::nullopt);
  json.Field("layers", row.layers);
  WriteText("class", is_layer ? Name(row.identity.layer_class) : "", json);
  WriteText("operation", row.identity.operation, json);
  WriteText("module", row.identity.module, json);
  json.Field("number", row.identity.number);
  json.Field("gpu_ns", row.sums.gpu_ns);
  json.Field("share", row.share);
  json.Field("calls", row.sums.calls);
  json.Field("kernels", row.sums.kernels);
  json.Field("tflops", row.tflops);
  json.Field("of_peak", row.of_peak);
  WriteText("gap_cause", row.gap_cause ? Name(*row.gap_cause) : "", json);
  json.Field("small", row.small);
  WriteMatches(row.sums.match_ns, json);
  WriteShare(row.step_mean, json);
  json.EndObject();
}

void WriteLayerMatching(const LayerMatching& matching, JsonWriter& json) {
  json.BeginObject();
  json.Field("backward_ns", matching.backward_ns);
  json.Field("matched_share", matching.matched_share);
  json.Field("weight_calls", matching.weight_calls);
  json.Field("known_weight_calls", matching.known_weight_calls);
  json.Field("known_weight_share", matching.known_weight_share);
  WriteMatches(matching.match_ns, json);
  json.Key("by_share");
  json.BeginObject();
  for (size_t i = 0; i < kLayerMatches; ++i) {
    json.Field(Name(static_cast<LayerMatch>(i)), matching.by_share[i]);
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace dltap::analyzer
