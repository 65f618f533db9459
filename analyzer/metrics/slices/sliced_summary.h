// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SLICES_SLICED_SUMMARY_H_
#define DLTAP_ANALYZER_METRICS_SLICES_SLICED_SUMMARY_H_

#include <functional>
#include <optional>
#include <string>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/slices/slice_limits.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/model/event_source.h"

namespace dltap::analyzer {

// The summary of a trace that is read slice by slice: METRICS.md "Long runs".
// Memory grows with a slice, the distinct rows and the steps. nullopt: that
// can't be done, for a reason that `why_not` gets; such a trace must be read
// whole. `progress`, if any, gets the part that is done.
std::optional<Summary> SummariseInSlices(
    EventSource& source, const AttributionOptions& options,
    const Selection& selection, const SliceLimits& limits, std::string& why_not,
    const std::function<void(double part)>& progress = {});

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SLICES_SLICED_SUMMARY_H_
