// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_EXEC_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_EXEC_H_

#include <cstdint>

#include "simgpu/base/error.h"
#include "simgpu/graph/graph_exec_state.h"
#include "simgpu/stream/stream_state.h"

namespace dltap::simgpu {

// Numbered as cudaGraphInstantiateResult.
enum class InstantiateResult : int {
  kSuccess = 0,
  kError = 1,
  kInvalidStructure = 2,
  kNodeNotSupported = 3,
  kMultipleDevices = 4,
  kConditionUnused = 5,
};

struct InstantiateReport {
  InstantiateResult result = InstantiateResult::kSuccess;
  GraphNode* node = nullptr;  // of the graph: an offending one
};

// kInvalidValue, and the report says why: a cycle, an unused condition handle,
// a second exec of a graph with memory nodes, a node that a graph for launches
// by the device, or a conditional node's body, may not have.
Error InstantiateGraph(Graph& graph, uint64_t flags, GraphExec** exec,
                       InstantiateReport* report);
Error DestroyGraphExec(GraphExec& exec);
Error LaunchGraph(GraphExec& exec, Stream& stream);

// Before the exec is changed: launches under way use it as it is.
void WaitForOpenLaunches(GraphExec& exec);

// Our clone of a node of the graph that was instantiated; null: not of it.
GraphNode* NodeInExec(GraphExec& exec, const GraphNode* original);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_EXEC_H_
