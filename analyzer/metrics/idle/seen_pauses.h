// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_SEEN_PAUSES_H_
#define DLTAP_ANALYZER_METRICS_IDLE_SEEN_PAUSES_H_

#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/idle/host_timeline.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What the threads that feed devices do between two of their calls, as the
// looks at their frames tell: parts of such pauses, disjoint for each thread,
// in time. The share of the looks at a pause that found a loader is the share
// of it that is one's, around the mean of their places in it. A pause of 1 ms
// is seldom looked at, so those that were looked at less than three times go by
// all of their kind: between the same two functions, and of about one length.
// If these are few, too, nothing is told.
struct SeenPauses {
  std::vector<Interval> loading;
  std::vector<Interval> aside;
};
SeenPauses SeenPausesOf(const TraceModel& model, const Process& process,
                        const ProcessAttribution& attribution,
                        const Feeders& feeders);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_SEEN_PAUSES_H_
