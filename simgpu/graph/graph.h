// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/graph/graph_state.h"

namespace dltap::simgpu {

Graph* NewGraph();
// What user objects stand for is in use until `busy_until_ns`.
void DestroyGraph(Graph* graph, int64_t busy_until_ns = 0);

// The type of the node that this work makes.
GraphNodeType TypeOf(const Work& work);

// kInvalidValue when a dependency is of another graph or stands there twice, or
// when an edge is none that CUDA knows.
Error CheckDependencies(const Graph& graph, const DependencyView& dependencies);
Error AddNode(Graph& graph, NodeSpec spec, const DependencyView& dependencies,
              GraphNode** node);
Error DestroyNode(GraphNode& node);
Error AddDependency(GraphNode& from, GraphNode& to, const EdgeData& edge);
// kInvalidValue when there is no such edge with this data.
Error RemoveDependency(GraphNode& from, GraphNode& to, const EdgeData& edge);
// The edge's data; REQUIRES: there is one.
const EdgeData& EdgeBetween(const GraphNode& from, const GraphNode& to);

using NodeMap = std::unordered_map<const GraphNode*, GraphNode*>;

// True when the graph or one inside has memory nodes: CUDA neither clones it
// nor lets its nodes and edges go.
bool HasMemoryNodes(const Graph& graph);

// A deep copy; `clones` (may be null) gets original -> clone, children
// included.
Graph* CloneGraph(const Graph& graph, NodeMap* clones);

// Nodes, each after its dependencies; empty when there is a cycle.
std::vector<GraphNode*> TopologicalOrder(const Graph& graph);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_H_
