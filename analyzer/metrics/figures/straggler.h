// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_STRAGGLER_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_STRAGGLER_H_

#include <vector>

#include "analyzer/metrics/figures/limit.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// Says of limits that name a rank what it does longer than the others, if that
// is most of what they wait. METRICS.md "Limit".
void ExplainStraggler(const Summary& summary, std::vector<Limit>& limits);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_STRAGGLER_H_
