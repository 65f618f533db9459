// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_UPDATE_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_UPDATE_H_

#include "simgpu/base/error.h"
#include "simgpu/graph/graph.h"
#include "simgpu/graph/graph_exec.h"

namespace dltap::simgpu {

// Numbered as CUgraphExecUpdateResult.
enum class GraphUpdateResult : int {
  kSuccess = 0,
  kError = 1,
  kTopologyChanged = 2,
  kNodeTypeChanged = 3,
  kFunctionChanged = 4,
  kParametersChanged = 5,
  kNotSupported = 6,
  kUnsupportedFunctionChange = 7,
  kAttributesChanged = 8,
};

struct GraphUpdateReport {
  GraphUpdateResult result = GraphUpdateResult::kSuccess;
  GraphNode* node = nullptr;  // of the new graph
  GraphNode* from = nullptr;  // of the new graph: where an edge differs
};

// Gives the exec the parameters of a graph of the same shape, or leaves it as
// it is. Nodes are paired by the order of their creation, dependencies by the
// order of the edges (documentation of cudaGraphExecUpdate).
GraphUpdateReport UpdateGraphExec(GraphExec& exec, const Graph& graph);

// Gives a child graph node of the exec the parameters of a graph of its shape.
Error UpdateChildGraph(GraphExec& exec, GraphNode& node, const Graph& child);

// Whether a node of an exec may get this work: kNotSupported for types that
// cannot change, kInvalidValue for another type or a forbidden change.
Error CheckExecChange(const GraphNode& node, const Work& work);

// Memory and conditional nodes never change.
bool CanChange(const GraphNode& node);

// Gives a node of a graph other parameters of its type.
Error ChangeNode(GraphNode& node, Work work);
// Gives the exec's clone of a node other parameters; the node keeps its own.
Error ChangeNodeInExec(GraphExec& exec, const GraphNode* original, Work work);

Error SetNodeEnabled(GraphExec& exec, const GraphNode* original, bool enabled);
Error GetNodeEnabled(GraphExec& exec, const GraphNode* original,
                     unsigned* enabled);

// The clone's node that was made from `original`; kInvalidValue: none, or gone.
Error FindInClone(const GraphNode* original, const Graph& clone,
                  GraphNode** found);

// The event of an event node of this type.
Error GetNodeEvent(const GraphNode& node, GraphNodeType type, Event** event);
Work EventWorkOf(GraphNodeType type, Event* event);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_UPDATE_H_
