// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_STATE_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_STATE_H_

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simgpu/base/attribute_set.h"
#include "simgpu/base/handle.h"
#include "simgpu/graph/graph_edge.h"
#include "simgpu/graph/user_object.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

struct Graph;
struct GraphCondition;

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
  kSemaphoreSignal = 8,
  kSemaphoreWait = 9,
  kMemoryAlloc = 10,
  kMemoryFree = 11,
  kMemoryOperations = 12,
  kConditional = 13,
};

// Numbered as cudaGraphConditionalNodeType.
enum class ConditionType : int { kIf = 0, kWhile = 1, kSwitch = 2 };

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
  // Of a conditional node: graph_condition.h.
  GraphCondition* condition = nullptr;
  ConditionType condition_type = ConditionType::kIf;
  std::vector<Graph*> bodies;  // owned
  // Of a kernel node.
  AttributeSet attributes;
  int priority = 0;
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
  // The child graph node or conditional node that owns it.
  GraphNode* parent = nullptr;
  std::vector<GraphCondition*> conditions;
  UserObjects user_objects;
  // What each node was cloned from, for cudaGraphNodeFindInClone.
  std::unordered_map<const GraphNode*, GraphNode*> clone_of;
  int execs = 0;  // made of this graph and not yet destroyed
};

// What a conditional node consists of.
struct ConditionalSpec {
  GraphCondition* condition = nullptr;
  ConditionType type = ConditionType::kIf;
  unsigned size = 0;  // number of bodies
};

struct NodeSpec {
  GraphNodeType type = GraphNodeType::kEmpty;
  Work work;
  Graph* child = nullptr;   // cloned
  bool move_child = false;  // instead
  int priority = 0;
  ConditionalSpec conditional{};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_STATE_H_
