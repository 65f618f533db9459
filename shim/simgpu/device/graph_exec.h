// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_EXEC_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_EXEC_H_

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "shim/simgpu/device/graph.h"
#include "shim/simgpu/device/stream.h"

namespace dltap::simgpu {

// A CUgraphExec: a clone of the graph with its order. Launches of one exec
// follow each other, whatever their streams.
struct GraphExec : Handle {
  static constexpr uint32_t kTag = 0x47584543;  // "GXEC"
  explicit GraphExec(Graph* clone) : Handle(kTag), graph(clone) {}

  Graph* const graph;  // its id is the exec's id
  uint64_t flags = 0;
  bool is_chain = true;  // no two nodes may run at the same time
  NodeMap clones;        // the instantiated graph's node -> ours
  // Of our graph and each child graph inside.
  std::unordered_map<const Graph*, std::vector<GraphNode*>> orders;
  std::mutex mutex;
  int64_t tail_ns = 0;
};

// kInvalidValue when the graph has a cycle.
Error InstantiateGraph(const Graph& graph, uint64_t flags, GraphExec** exec);
Error DestroyGraphExec(GraphExec& exec);
Error LaunchGraph(GraphExec& exec, Stream& stream);

// Our clone of a node of the graph that was instantiated; null: not of it.
GraphNode* NodeInExec(GraphExec& exec, const GraphNode* original);

// Numbered as CUgraphExecUpdateResult.
enum class GraphUpdateResult : int {
  kSuccess = 0,
  kError = 1,
  kTopologyChanged = 2,
  kNodeTypeChanged = 3,
  kFunctionChanged = 4,
  kParametersChanged = 5,
  kNotSupported = 6,
};

// Gives the exec the parameters of a graph of the same shape. On failure the
// exec is unchanged and `*culprit` (may be null) is the first node that
// differs.
GraphUpdateResult UpdateGraphExec(GraphExec& exec, const Graph& graph,
                                  GraphNode** culprit);

// Gives a child graph node of the exec the parameters of a graph of its shape.
Error UpdateChildGraph(GraphExec& exec, GraphNode& node, const Graph& child);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_EXEC_H_
