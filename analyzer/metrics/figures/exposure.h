// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_EXPOSURE_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_EXPOSURE_H_

#include <cstdint>

#include "analyzer/metrics/figures/class_figures.h"
#include "analyzer/metrics/summary/totals.h"

// How much of what moves data costs the step time. METRICS.md "Exposed and
// hidden".
namespace dltap::analyzer {

struct Exposure {
  int64_t exposed_ns = 0;  // while the device does nothing of more use
  int64_t hidden_ns = 0;
  double exposed_step_ns = 0;
  double hidden_step_ns = 0;
};

struct Exposures {
  Exposure comm;         // beside kernels that compute
  CommTimes comm_times;  // what the exposed part of it is
  double waiting_step_ns = 0;
  double transfer_step_ns = 0;
  double unknown_step_ns = 0;
  Exposure copies;  // with memsets; beside kernels of any kind
};

Exposures ExposuresOf(const Totals& totals);

// Of the rows whose class moves data; the others keep nullopt.
void AddExposures(const Totals& totals, std::vector<ClassRow>& rows);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_EXPOSURE_H_
