// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/path_report.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

// What is shorter would print as 0.00 ms, and what saves less says nothing.
constexpr double kLeastShownNs = 5'000;
constexpr double kLeastChange = 0.005;
constexpr size_t kMostOnPath = 4;
constexpr size_t kMostFaster = 3;
constexpr double kLeastError = 0.01;  // of a replay; less is not said

std::string NameOf(const std::string& what) {
  const auto layer_class = specs::FromName<LayerClass>(what);
  return layer_class ? DisplayName(*layer_class) : what;
}

Cell MsCell(double ns) {
  if (ns == 0) return Blank{};
  return Number{ns * kMsPerNs, 3};
}

// "CONV 2 x", "without CONV".
std::string SpeedupText(const Speedup& speedup) {
  const std::string name = NameOf(speedup.what);
  if (!std::isfinite(speedup.times)) return "without " + name;
  std::ostringstream times;
  times << speedup.times;
  return name + " " + times.str() + " x";
}

std::string Signed(double change) {
  return (change > 0 ? "+" : "") + Fixed(change * kPercent, 1) + " %";
}

bool IsComm(const std::string& what) {
  return what == specs::Name(LayerClass::kComm);
}

// Communication that waits for ranks which were not replayed has no row.
bool IsCommUnknown(const PathFigures& path) {
  const auto is_comm = [](const Speedup& speedup) {
    return IsComm(speedup.what);
  };
  for (const WhatIfRow& row : path.what_if) {
    if (std::any_of(row.scenario.begin(), row.scenario.end(), is_comm)) {
      return false;
    }
  }
  return !path.rows.empty() && path.rows.front().is_class &&
         IsComm(path.rows.front().name);
}

}  // namespace

std::string ScenarioText(const Scenario& scenario) {
  std::vector<std::string> parts;
  for (const Speedup& speedup : scenario) {
    parts.push_back(SpeedupText(speedup));
  }
  return Join(parts, ", ");
}

Table PathTable(const Figures& figures) {
  Table table;
  table.columns = {{{"on the path"}, "on_path", false},
                   {{"ms/step"}, "ms_per_step"},
                   {{"share", "%"}, "share_percent"},
                   {{"forward", "ms"}, "forward_ms_per_step"},
                   {{"backward", "ms"}, "backward_ms_per_step"},
                   {{"update", "ms"}, "update_ms_per_step"}};
  for (const PathRow& row : figures.path.rows) {
    table.rows.push_back({row.is_class ? NameOf(row.name) : row.name,
                          Number{row.step_ns * kMsPerNs, 3},
                          PercentCell(row.share), MsCell(row.forward_step_ns),
                          MsCell(row.backward_step_ns),
                          MsCell(row.update_step_ns)});
  }
  return table;
}

Table WhatIfTable(const Figures& figures) {
  Table table;
  table.columns = {{{"if faster"}, "if_faster", false},
                   {{"ms/step"}, "ms_per_step"},
                   {{"step", "%"}, "change_percent"}};
  for (const WhatIfRow& row : figures.path.what_if) {
    table.rows.push_back({ScenarioText(row.scenario),
                          Number{row.step_ns * kMsPerNs, 3},
                          PercentCell(row.change)});
  }
  return table;
}

std::string PathLine(const PathFigures& path) {
  std::vector<std::string> parts;
  for (const PathRow& row : path.rows) {
    if (row.step_ns < kLeastShownNs || parts.size() == kMostOnPath) break;
    parts.push_back((row.is_class ? NameOf(row.name) : row.name) + " " +
                    Ms(row.step_ns));
  }
  if (parts.empty()) return "";
  return "  critical path: " + Join(parts, " · ") + " ms";
}

std::string WhatIfLine(const PathFigures& path) {
  if (!path.replay_error) return "";
  const std::string error = "the replay of the measured steps differs by " +
                            PercentText(path.replay_error);
  if (!path.trusted) return "  step if faster: unknown, " + error;
  std::vector<std::string> parts;
  for (const WhatIfRow& row : path.what_if) {
    if (row.change > -kLeastChange || parts.size() == kMostFaster) break;
    const bool is_finite =
        row.scenario.size() == 1 && std::isfinite(row.scenario[0].times);
    if (!is_finite) continue;
    parts.push_back(ScenarioText(row.scenario) + " " + Signed(row.change));
  }
  if (IsCommUnknown(path)) parts.emplace_back("COMM 2 x unknown");
  if (parts.empty()) return "";
  return "  step if faster: " + Join(parts, " · ") +
         (*path.replay_error < kLeastError ? "" : " (" + error + ")");
}

std::string FasterText(const PathFigures& path) {
  if (!path.trusted) {
    return "unknown: the replay of the measured steps differs by " +
           PercentText(path.replay_error) +
           ", so the trace does not show all that they wait for\n";
  }
  std::string text = "now " + Ms(path.step_ns) + " ms (replay of " +
                     Count(path.replayed_windows, "window") + " differs by " +
                     PercentText(path.replay_error) + ")\n";
  for (const WhatIfRow& row : path.what_if) {
    text += ScenarioText(row.scenario) + ": " + Ms(row.step_ns) + " ms (" +
            Signed(row.change) + ")\n";
  }
  if (path.what_if.empty()) {
    text += "unknown: communication waits for ranks that were not replayed\n";
  }
  return text;
}

std::string FasterJson(const PathFigures& path) {
  JsonWriter json;
  json.BeginObject();
  WritePath(path, json);
  json.EndObject();
  return json.Take() + "\n";
}

void WritePath(const PathFigures& path, JsonWriter& json) {
  json.Key("critical_path");
  json.BeginObject();
  json.Field("step_ns", path.step_ns);
  json.Key("rows");
  json.BeginArray();
  for (const PathRow& row : path.rows) {
    json.BeginObject();
    json.Field("name", row.name);
    json.Field("is_class", row.is_class);
    json.Field("step_ns", row.step_ns);
    json.Field("share", row.share);
    json.Field("forward_step_ns", row.forward_step_ns);
    json.Field("backward_step_ns", row.backward_step_ns);
    json.Field("update_step_ns", row.update_step_ns);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.Key("what_if");
  json.BeginObject();
  json.Field("windows", path.replayed_windows);
  json.Field("replay_error", path.replay_error);
  json.Field("trusted", path.trusted);
  json.Key("rows");
  json.BeginArray();
  for (const WhatIfRow& row : path.what_if) {
    json.BeginObject();
    json.Key("faster");
    json.BeginArray();
    for (const Speedup& speedup : row.scenario) {
      json.BeginObject();
      json.Field("what", speedup.what);
      json.Field("times", speedup.times);  // null: infinitely
      json.EndObject();
    }
    json.EndArray();
    json.Field("step_ns", row.step_ns);
    json.Field("change", row.change);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace dltap::analyzer
