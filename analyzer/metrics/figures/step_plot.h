// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_STEP_PLOT_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_STEP_PLOT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// The steps of a process on a device, in time, as a row of columns.
struct StepPlot {
  struct Column {
    bool is_left_out = false;  // all its steps are
    size_t level = 0;          // of the slowest used one; 0 to kLevels - 1
  };
  static constexpr size_t kLevels = 8;

  size_t process = 0;  // into DeviceSummary::processes
  std::vector<Column> columns;
  size_t steps_per_column = 1;
  size_t found = 0;
  size_t used = 0;
  double low_ns = 0;  // where level 0 begins
  double high_ns = 0;
};

// A plot of at most `columns` for each process of `device` that has used
// steps. Levels reach from the fastest used step, or from 80 % of the slowest
// where that is less, so that noise does not look like a mountain.
std::vector<StepPlot> StepPlots(const Summary& summary,
                                const DeviceSummary& device, size_t columns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_STEP_PLOT_H_
