// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_COVERAGE_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_COVERAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/metrics/summary/totals.h"

namespace dltap::analyzer {

// What part of the trace's GPU time the other numbers are about.
struct Coverage {
  int64_t used_gpu_ns = 0;      // of activities inside the windows
  int64_t outside_gpu_ns = 0;   // of all others
  std::optional<double> share;  // used / (used + outside)
  // Of what was selected, the part that is outside all the same.
  std::optional<double> left_out_share;
  // Why; the three with most GPU time, from the largest on.
  std::vector<std::string> left_out_reasons;
  std::vector<Interval> windows;  // of all devices; disjoint, in time
};

// `totals` are those of `summary`.
Coverage CoverageOf(const Summary& summary, const Totals& totals);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_COVERAGE_H_
