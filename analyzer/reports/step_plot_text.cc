// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/step_plot_text.h"

#include <string_view>

#include "analyzer/metrics/figures/step_plot.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/json_rows.h"
#include "analyzer/reports/page.h"
#include "analyzer/reports/units.h"
#include "analyzer/reports/wrap.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kLevels[StepPlot::kLevels] = {"▁", "▂", "▃", "▄",
                                                         "▅", "▆", "▇", "█"};
constexpr const char* kIndent = "  ";
constexpr const char* kLeftOut = "x";

std::string Legend(const StepPlot& plot) {
  std::string text = std::string(kLevels[0]) + " " + Ms(plot.low_ns) + " to " +
                     std::string(kLevels[StepPlot::kLevels - 1]) + " " +
                     Ms(plot.high_ns) + " ms";
  if (plot.used < plot.found) {
    text += std::string(", ") + kLeftOut + " left out (" +
            std::to_string(plot.found - plot.used) + ")";
  }
  if (plot.steps_per_column > 1) {
    text += ", the slowest of " + std::to_string(plot.steps_per_column) +
            " steps a column";
  }
  return text;
}

std::string PlotText(const StepPlot& plot, const std::string& owner) {
  std::string line = kIndent;
  for (const StepPlot::Column& column : plot.columns) {
    line += column.is_left_out ? kLeftOut : kLevels[column.level];
  }
  return Wrap("steps" + owner + ": " + Legend(plot), "    ") + line + "\n";
}

}  // namespace

std::string StepPlotText(const Summary& summary, const Figures& figures) {
  std::string text;
  for (const DeviceFigures& device : figures.devices) {
    const DeviceSummary& sums = *device.sums;
    const size_t room = PageWidth() - std::string_view(kIndent).size();
    const auto plots = StepPlots(summary, sums, room);
    const bool several = figures.devices.size() > 1 || plots.size() > 1;
    for (const StepPlot& plot : plots) {
      const std::string owner = " of " +
                                ProcessName(sums.processes[plot.process]) +
                                " on gpu" + std::to_string(sums.ordinal);
      text += PlotText(plot, several ? owner : "");
    }
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace dltap::analyzer
