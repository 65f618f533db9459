// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_ACCOUNT_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_ACCOUNT_H_

#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/memory/memory.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Of the selected processes and devices. `steps` holds those of every process
// of the model.
MemorySummary SummariseMemory(const TraceModel& model,
                              const Attribution& attribution,
                              const std::vector<Steps>& steps,
                              const Selection& selection);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_ACCOUNT_H_
