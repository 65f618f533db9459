// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shim/simgpu/device/error.h"
#include "shim/simgpu/device/graph_edge.h"
#include "shim/simgpu/device/handle.h"
#include "shim/simgpu/device/work.h"

namespace dltap::simgpu {

struct Graph;

// Numbered as CUgraphNodeType and cudaGraphNodeType.
enum class GraphNodeType : int {
  kKernel = 0,
  kCopy = 1,
  kMemset = 2,
  kHost = 3,
  kChildGraph = 4,
  kEmpty = 5,
  kEventWait = 6,
  kEventRecord = 7,
  kMemoryAlloc = 10,
  kMemoryFree = 11,
  kConditional = 13,
};

// A CUgraphNode. Dependencies come from the same graph.
struct GraphNode : Handle {
  static constexpr uint32_t kTag = 0x4e4f4445;  // "NODE"
  GraphNode(Graph* owner, uint64_t node_id, GraphNodeType node_type,
            Work node_work)
      : Handle(kTag),
        graph(owner),
        id(node_id),
        type(node_type),
        work(std::move(node_work)) {}

  Graph* const graph;
  const uint64_t id;  // graph id << 32 | number in the graph, from 1
  const GraphNodeType type;
  Work work;
  std::vector<GraphNode*> dependencies;
  std::vector<EdgeData> edges;  // of the dependencies, in their order
  std::vector<GraphNode*> dependents;
  Graph* child = nullptr;  // owned; of a child graph node
  bool enabled = true;
  int64_t begin_ns = 0;  // of the launch under way
  int64_t end_ns = 0;
};

// A CUgraph. Not thread-safe, as CUDA's.
struct Graph : Handle {
  static constexpr uint32_t kTag = 0x47525048;  // "GRPH"
  explicit Graph(uint32_t graph_id) : Handle(kTag), id(graph_id) {}

  const uint32_t id;
  uint32_t last_node_number = 0;
  std::vector<GraphNode*> nodes;  // by creation
  GraphNode* parent = nullptr;    // the child graph node that owns it
};

Graph* NewGraph();
void DestroyGraph(Graph* graph);

struct NodeSpec {
  GraphNodeType type = GraphNodeType::kEmpty;
  Work work;
  Graph* child = nullptr;  // cloned
};

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

// A deep copy; `clones` (may be null) gets original -> clone, children
// included.
Graph* CloneGraph(const Graph& graph, NodeMap* clones);

// Nodes, each after its dependencies; empty when there is a cycle.
std::vector<GraphNode*> TopologicalOrder(const Graph& graph);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_GRAPH_H_
