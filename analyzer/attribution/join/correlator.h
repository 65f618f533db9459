// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_JOIN_CORRELATOR_H_
#define DLTAP_ANALYZER_ATTRIBUTION_JOIN_CORRELATOR_H_

#include <cstdint>
#include <vector>

#include "analyzer/model/layer_class.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Which host calls an activity goes back to.
struct Join {
  CallId submitted_by;  // outermost call that put it on its stream; for the
                        // nodes of a graph, the call that launched the graph
  CallId owner;         // outermost call that it works for; for the nodes of
                        // a graph, the call captured into the node
  JoinedBy joined_by = JoinedBy::kNone;
};

struct Correlation {
  std::vector<Join> joins;        // one per Process::activities
  std::vector<CallId> outermost;  // one per Process::calls, itself at depth 0
  // When they began.
  std::vector<int64_t> launches_without_kernel;
  std::vector<int64_t> kernels_without_launch;
};

// Joins every activity of `process`, in this order: correlation id to the API
// record and its external id (or, in imported traces, to the call itself);
// the record's place among its thread's launches; the graph node's origin.
Correlation Correlate(const TraceModel& model, const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_JOIN_CORRELATOR_H_
