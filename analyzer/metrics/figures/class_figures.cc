// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/class_figures.h"

#include <algorithm>

#include "analyzer/metrics/base/known_part.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

constexpr double kSmallShare = 0.005;  // of the GPU time

StepShare PerStep(const ClassSummary& sums, double steps) {
  const auto mean = [steps](auto value) {
    return static_cast<double>(value) / steps;
  };
  return {.gpu_ns = mean(sums.gpu_ns),
          .calls = mean(sums.calls),
          .kernels = mean(sums.kernels),
          .forward_ns = mean(sums.of(Direction::kForward)),
          .backward_ns = mean(sums.backward_ns()),
          .update_ns = mean(sums.of(Direction::kUpdate))};
}

}  // namespace

ClassFigures FiguresOf(const ClassSummary& sums, const Totals& totals) {
  const auto gpu_ns = static_cast<double>(sums.gpu_ns);
  ClassFigures figures;
  figures.sums = sums;
  figures.step_mean = PerStep(sums, totals.per_step());
  figures.share = Ratio(gpu_ns, static_cast<double>(totals.all.gpu_ns));
  figures.utilization = totals.ShareOfTime(static_cast<double>(sums.busy_ns));
  figures.cpu_dependency = sums.cpu_dependency();
  const Efficiency& work = sums.efficiency;
  figures.tflops = RateOfRow(work.tflops(), work.known_ns, sums.gpu_ns);
  figures.executed_tflops =
      RateOfRow(work.executed_tflops(), work.executed_ns, sums.gpu_ns);
  figures.of_peak = RateOfRow(work.of_peak(), work.executed_ns, sums.gpu_ns);
  figures.bandwidth_gbs = sums.efficiency.bandwidth_gbs();
  figures.of_bandwidth = sums.efficiency.of_bandwidth();
  figures.mean_kernel_ns = Ratio(gpu_ns, static_cast<double>(sums.kernels));
  figures.fp64_share = Ratio(work.fp64_ns, gpu_ns);
  return figures;
}

std::vector<ClassRow> ClassRows(const Totals& totals) {
  const double small = kSmallShare * static_cast<double>(totals.all.gpu_ns);
  std::vector<ClassRow> rows;
  for (size_t c = 0; c < kClassCount; ++c) {
    const ClassSummary& sums = totals.classes[c];
    if (sums.kernels == 0) continue;
    const auto layer_class = static_cast<LayerClass>(c);
    // What could not be attributed is never hidden.
    const bool is_small = static_cast<double>(sums.gpu_ns) < small &&
                          layer_class != LayerClass::kUnattributed;
    rows.push_back({layer_class, is_small, LimitOf(layer_class, sums),
                    FiguresOf(sums, totals)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ClassRow& a, const ClassRow& b) {
                     return a.figures.sums.gpu_ns > b.figures.sums.gpu_ns;
                   });
  return rows;
}

}  // namespace dltap::analyzer
