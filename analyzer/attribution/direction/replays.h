// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_REPLAYS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_REPLAYS_H_

#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Whether `call` launches a graph as a whole.
bool LaunchesGraph(const TraceModel& model, const Process& process,
                   CallId call);

// Replays whose capture no evidence leads to: if the same kernels, launched
// alike, ran in the same order outside of a graph (frameworks warm up before
// they capture), what is known of those holds for the replayed ones. One in
// five may be in the graph alone: its direction is that of the kernels around
// it.
void FollowWarmups(const TraceModel& model, const Process& process,
                   const std::vector<Submission>& order,
                   ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_REPLAYS_H_
