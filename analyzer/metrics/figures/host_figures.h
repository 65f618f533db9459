// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_HOST_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_HOST_FIGURES_H_

#include <optional>
#include <vector>

#include "analyzer/metrics/figures/class_figures.h"
#include "analyzer/metrics/figures/sensitivity.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

struct HostFigures {
  std::optional<double> cpu_utilization;    // CPU time / (cores x wall)
  std::optional<double> queue_unfinished;   // activities, at a submission
  std::optional<double> queue_waiting;      // of these, not begun
  std::optional<double> queue_empty_share;  // of the submissions
};

HostFigures HostFiguresOf(const Summary& summary);

// A row for each class, of `classes` too. Empty: not a run with delays.
std::vector<Sensitivity> SensitivityRows(const Summary& summary,
                                         const std::vector<ClassRow>& classes);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_HOST_FIGURES_H_
