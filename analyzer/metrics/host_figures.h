// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_HOST_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_HOST_FIGURES_H_

#include "analyzer/metrics/figures.h"
#include "analyzer/metrics/summary.h"

namespace dltap::analyzer {

// CPU utilization, queue depth and sensitivity. `out` has its classes already.
void AddHostFigures(const Summary& summary, Figures& out);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_HOST_FIGURES_H_
