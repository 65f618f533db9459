// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/class_table.h"

#include <cctype>
#include <optional>
#include <vector>

#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr double kOneAtLeast = 0.95;

// Calls and kernels per step: whole ones, but 0.2 is not none.
Cell PerStep(double count) {
  if (count == 0) return std::string("-");
  if (count < kOneAtLeast) return Number{count, 1};
  return static_cast<int64_t>(count + 0.5);
}

// "12.8 / 26.8".
std::string Passes(const StepShare& step) {
  if (step.forward_ns == 0 && step.backward_ns == 0) return "";
  return Fixed(step.forward_ns * kMsPerNs, 2) + " / " +
         Fixed(step.backward_ns * kMsPerNs, 2);
}

// "update" when that is most of what a class does.
std::string Directions(const StepShare& step) {
  if (step.update_ns > step.forward_ns + step.backward_ns) return "update";
  return Passes(step);
}

Cell BarCell(std::optional<double> share) {
  if (!share) return Blank{};
  return Bar{*share};
}

std::vector<Cell> Row(const std::string& name, const ClassFigures& figures,
                      const std::string& directions, const std::string& bound) {
  const StepShare& step = figures.step_mean;
  return {name,
          Milliseconds(step.gpu_ns),
          PercentCell(figures.share),
          PerStep(step.calls),
          PerStep(step.kernels),
          PercentCell(figures.cpu_dependency),
          KnownCell(figures.tflops, 1, 1),
          KnownCell(figures.of_peak, kPercent, 1),
          bound,
          directions,
          BarCell(figures.share)};
}

std::vector<Cell> FoldedRow(const SmallClasses& small) {
  auto row = Row("(" + std::to_string(small.count) + " more)", small.figures,
                 Passes(small.figures.step_mean), "");
  row[6] = row[7] = Blank{};
  return row;
}

// Blank where the class does not move data.
Cell MaybeMs(std::optional<double> ns) {
  if (!ns) return Blank{};
  return Milliseconds(*ns);
}

std::string BoundText(LimitedBy bound) {
  return bound == LimitedBy::kUnknown ? "?" : std::string(Name(bound));
}

Cell BoundCell(LimitedBy bound) {
  if (bound == LimitedBy::kUnknown) return Unknown{};
  return std::string(Name(bound));
}

}  // namespace

std::string DisplayName(LayerClass layer_class) {
  if (layer_class == LayerClass::kRnn) return "LSTM/RNN";
  std::string name(Name(layer_class));
  for (char& c : name) c = c == '_' ? ' ' : static_cast<char>(std::toupper(c));
  return name;
}

Table ClassTable(const Figures& figures, const ReportOptions& options) {
  const bool per_step = figures.steps.found_by != StepsFoundBy::kNone;
  const std::string per = per_step ? "/step" : "";
  Table table;
  table.columns = {
      {{"class"}, "class", false},
      {{"GPU", "ms" + per}, "gpu_ms"},
      {{"share", "%"}, "share_percent"},
      {{"calls", per}, "calls", true, true},
      {{"kernels", per}, "kernels", true, true},
      {{"CPU-dep", "%"}, "cpu_dependency_percent"},
      {{"TFLOP/s", "nominal"}, "tflops_per_s", true, true},
      {{"% peak", "executed"}, "of_peak_percent", true, true},
      {{"bound"}, "bound", false, true},
      {{"fwd / bwd", "ms" + per}, "forward_backward_ms", true, true},
      {{}, "share_bar", false}};
  for (const ClassRow& row : figures.classes) {
    if (row.small && !options.wide) continue;
    table.rows.push_back(Row(DisplayName(row.layer_class), row.figures,
                             Directions(row.figures.step_mean),
                             BoundText(row.bound)));
  }
  if (figures.small_classes.count > 0 && !options.wide) {
    table.rows.push_back(FoldedRow(figures.small_classes));
  }
  table.rows.push_back(Row("total", figures.program.total,
                           Passes(figures.program.total.step_mean), ""));
  table.rows.back().back() = Blank{};
  return table;
}

Table TidyClassTable(const Figures& figures) {
  Table table;
  for (const char* key :
       {"class", "gpu_ms", "share_percent", "calls", "kernels",
        "cpu_dependency_percent", "tflops_per_s", "of_peak_percent", "bound",
        "forward_ms", "backward_ms", "update_ms", "exposed_ms", "hidden_ms"}) {
    table.columns.push_back({{}, key});
  }
  for (const ClassRow& row : figures.classes) {
    const ClassFigures& of_class = row.figures;
    const StepShare& step = of_class.step_mean;
    table.rows.push_back(
        {DisplayName(row.layer_class), Milliseconds(step.gpu_ns),
         PercentCell(of_class.share), Number{step.calls, 0},
         Number{step.kernels, 0}, PercentCell(of_class.cpu_dependency),
         KnownCell(of_class.tflops, 1, 1),
         KnownCell(of_class.of_peak, kPercent, 1), BoundCell(row.bound),
         Milliseconds(step.forward_ns), Milliseconds(step.backward_ns),
         Milliseconds(step.update_ns), MaybeMs(step.exposed_ns),
         MaybeMs(step.hidden_ns)});
  }
  return table;
}

}  // namespace dltap::analyzer
