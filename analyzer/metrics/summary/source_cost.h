// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SUMMARY_SOURCE_COST_H_
#define DLTAP_ANALYZER_METRICS_SUMMARY_SOURCE_COST_H_

#include <cstdint>
#include <optional>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Host time that the recording of activities added to the calls of a run, by
// the calls that were made while it was off for a while; METRICS.md "Trust".
// nullopt: it never was, too few calls tell, or those without recording took
// longer, so that the cost is lost in the noise.
std::optional<int64_t> SourceCostOf(const TraceModel& model,
                                    const Process& process,
                                    const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SUMMARY_SOURCE_COST_H_
