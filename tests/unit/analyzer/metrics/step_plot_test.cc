// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/step_plot.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

// Steps of one process; 0: left out.
StepPlot PlotOf(const std::vector<int64_t>& ns, size_t columns) {
  Summary summary;
  ProcessSummary& process = summary.processes.emplace_back();
  DeviceSummary device;
  device.processes = {process.key};
  for (size_t i = 0; i < ns.size(); ++i) {
    const bool used = ns[i] > 0;
    if (used) device.steps.push_back({0, i, ns[i]});
    ++process.steps.by_use[static_cast<size_t>(used ? StepUse::kUsed
                                                    : StepUse::kWarmUp)];
  }
  const std::vector<StepPlot> plots = StepPlots(summary, device, columns);
  EXPECT_EQ(plots.size(), 1u);
  return plots.at(0);
}

// "x" left out, else the level.
std::string TextOf(const StepPlot& plot) {
  std::string text;
  for (const StepPlot::Column& column : plot.columns) {
    text += column.is_left_out ? "x" : std::to_string(column.level);
  }
  return text;
}

TEST(StepPlotTest, LeftOutStepsKeepTheirPlace) {
  const StepPlot plot = PlotOf({0, 100, 0, 200, 150, 0}, 80);
  EXPECT_EQ(TextOf(plot), "x0x74x");
  EXPECT_EQ(plot.found, 6u);
  EXPECT_EQ(plot.used, 3u);
  EXPECT_EQ(plot.low_ns, 100);
  EXPECT_EQ(plot.high_ns, 200);
}

TEST(StepPlotTest, NoiseIsNoMountain) {
  const StepPlot plot = PlotOf({1000, 1001, 999, 1000}, 80);
  EXPECT_EQ(TextOf(plot), "7777");
  EXPECT_DOUBLE_EQ(plot.low_ns, 800.8);
}

TEST(StepPlotTest, SlowestStepOfAColumnIsShown) {
  const StepPlot plot = PlotOf({100, 200, 100, 100, 0, 0, 100}, 4);
  EXPECT_EQ(plot.steps_per_column, 2u);
  EXPECT_EQ(TextOf(plot), "70x0");
}

TEST(StepPlotTest, NoStepsNoPlot) {
  Summary summary;
  EXPECT_TRUE(StepPlots(summary, DeviceSummary(), 80).empty());
}

}  // namespace
}  // namespace dltap::analyzer
