// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_EXEC_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_EXEC_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "simgpu/graph/graph.h"
#include "simgpu/graph/graph_memory.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {

// A CUgraphExec: a clone of the graph with its order. Launches of one exec
// follow each other, whatever their streams.
struct GraphExec : Handle {
  static constexpr uint32_t kTag = 0x47584543;  // "GXEC"
  GraphExec(Graph* clone, Graph* instantiated)
      : Handle(kTag), graph(clone), original(instantiated) {}

  Graph* const graph;     // its id is the exec's id
  Graph* const original;  // may be destroyed since
  uint64_t flags = 0;
  bool is_chain = true;  // no two nodes may run at the same time
  NodeMap clones;        // the instantiated graph's node -> ours
  // Of our graph and each child graph inside.
  std::unordered_map<const Graph*, std::vector<GraphNode*>> orders;
  bool has_exchanges = false;               // with other ranks
  std::unique_ptr<GraphMemoryPlan> memory;  // null: no memory nodes
  std::mutex mutex;
  int64_t tail_ns = 0;
  Order order;  // of the last launch
  // Of the last launch that is not over but for open work (open_work.h); until
  // it is, tail_ns is too early.
  uint64_t open_ticket = 0;
};

// cudaGraphInstantiateFlags.
constexpr uint64_t kAutoFreeOnLaunch = 1;
constexpr uint64_t kUploadAtOnce = 2;
constexpr uint64_t kDeviceLaunch = 4;
constexpr uint64_t kUseNodePriority = 8;

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
