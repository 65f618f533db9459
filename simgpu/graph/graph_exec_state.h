// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_EXEC_STATE_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_EXEC_STATE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "simgpu/base/handle.h"
#include "simgpu/bytes/work_order.h"
#include "simgpu/graph/graph.h"
#include "simgpu/graph/graph_allocation.h"

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

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_EXEC_STATE_H_
