// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_INPUT_SPANS_H_
#define DLTAP_ANALYZER_METRICS_IDLE_INPUT_SPANS_H_

#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/idle/host_timeline.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// When the host feeds the steps of `device`: disjoint, in time. A span reaches
// from the end of the call that submitted the last work of a step to the first
// copies of the next batch, whatever fills, casts and copies lie in between,
// and from a copy of results to the host to the copy that the host makes from
// them. A loader's range (Kineto, NVTX) is a span, and begins the one that
// holds it; where looks at the frames of a feeder find its loader, the pause is
// one, too, in part, and where they find callbacks, a span is shorter by as
// much (seen_pauses.h). See METRICS.md "Idle time".
std::vector<Interval> InputSpans(const TraceModel& model,
                                 const Process& process,
                                 const ProcessAttribution& attribution,
                                 const Steps& steps, const Feeders& feeders,
                                 DeviceId device);

// Whether a range of this name is the time in which a loader makes a batch.
bool IsLoaderName(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_INPUT_SPANS_H_
