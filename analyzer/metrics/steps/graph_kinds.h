// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_GRAPH_KINDS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_GRAPH_KINDS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Of each executable graph (Activity::graph), the first graph that it carries
// on: it runs the same kernels, and only after all replays of that one.
// Frameworks instantiate a graph anew, and the loop goes on. Graphs that take
// turns are different ones.
absl::flat_hash_map<uint32_t, uint32_t> FirstGraphs(const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_GRAPH_KINDS_H_
