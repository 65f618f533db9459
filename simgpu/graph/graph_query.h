// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_QUERY_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_QUERY_H_

#include <cstddef>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/graph/graph.h"

namespace dltap::simgpu {

// The convention of all list getters of both APIs: with a null array, `*count`
// becomes the number there is; else up to `*count` entries are written, the
// rest nulled, and `*count` is what was written.
Error ListNodes(const std::vector<GraphNode*>& nodes, GraphNode** out,
                size_t* count);

// Likewise with the edges' data. kLossyQuery when there is data that the caller
// has no room for.
Error ListDependencies(const GraphNode& node, GraphNode** out, EdgeData* data,
                       size_t* count);
Error ListDependents(const GraphNode& node, GraphNode** out, EdgeData* data,
                     size_t* count);
Error ListEdges(const Graph& graph, GraphNode** from, GraphNode** to,
                EdgeData* data, size_t* count);

std::vector<GraphNode*> RootsOf(const Graph& graph);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_QUERY_H_
