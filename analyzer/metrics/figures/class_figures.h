// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_CLASS_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_CLASS_FIGURES_H_

#include <optional>
#include <vector>

#include "analyzer/metrics/classes/class_summary.h"
#include "analyzer/metrics/summary/totals.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

// What one used step has of a class, on average; the whole run without steps.
struct StepShare {
  double gpu_ns = 0;
  double calls = 0;
  double kernels = 0;
  double forward_ns = 0;
  double backward_ns = 0;
  double update_ns = 0;
  // Of what moves data: in time that nothing else used, and beside other work.
  std::optional<double> exposed_ns = std::nullopt;
  std::optional<double> hidden_ns = std::nullopt;
};

// The numbers of one row: a class, or several added up. Unknown is nullopt.
struct ClassFigures {
  ClassSummary sums;
  StepShare step_mean;
  std::optional<double> share;        // of the GPU time of all classes
  std::optional<double> utilization;  // busy / observed time
  std::optional<double> cpu_dependency;
  std::optional<double> tflops;           // algorithmic
  std::optional<double> executed_tflops;  // by the algorithm that ran
  std::optional<double> of_peak;
  std::optional<double> bandwidth_gbs;
  std::optional<double> of_bandwidth;
  std::optional<double> mean_kernel_ns;
  std::optional<double> fp64_share;  // of its own GPU time
};

struct ClassRow {
  LayerClass layer_class;
  bool small = false;  // reports may fold it with others
  LimitedBy bound = LimitedBy::kUnknown;
  ClassFigures figures;
};

// `sums` are those of a class of `totals`, or of several.
ClassFigures FiguresOf(const ClassSummary& sums, const Totals& totals);

// All classes that ran, by GPU time, the largest first; equal ones in the
// order of LayerClass.
std::vector<ClassRow> ClassRows(const Totals& totals);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_CLASS_FIGURES_H_
