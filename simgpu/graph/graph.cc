// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph.h"

#include <algorithm>
#include <atomic>
#include <deque>

#include "simgpu/base/activity.h"
#include "simgpu/graph/graph_condition.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<uint32_t> g_last_graph_id{0};

void TellGraph(ResourceEvent event, Graph* graph, const Graph* original) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource(
      {.event = event,
       .handle = graph,
       .original_graph = const_cast<Graph*>(original)});
}

void TellNode(ResourceEvent event, GraphNode* node, const GraphNode* original) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource(
      {.event = event,
       .handle = node->graph,
       .original_graph = original == nullptr ? nullptr : original->graph,
       .node = node,
       .original_node = const_cast<GraphNode*>(original),
       .node_type = static_cast<int>(node->type)});
}

void TellNodeStarting(Graph& graph, GraphNodeType type) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource(
      {.event = ResourceEvent::kGraphNodeCreateStarting,
       .handle = &graph,
       .node_type = static_cast<int>(type)});
}

void TellEdge(ResourceEvent event, GraphNode& from, GraphNode& to) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource({.event = event,
                                .handle = from.graph,
                                .node = &from,
                                .node_type = static_cast<int>(from.type),
                                .dependent = &to});
}

GraphNode* MakeNode(Graph& graph, GraphNodeType type, Work work) {
  const uint64_t id = uint64_t{graph.id} << 32 | ++graph.last_node_number;
  auto* node = HandlePool<GraphNode>::New(&graph, id, type, std::move(work));
  graph.nodes.push_back(node);
  return node;
}

void Link(GraphNode& from, GraphNode& to, const EdgeData& edge) {
  to.dependencies.push_back(&from);
  to.edges.push_back(edge);
  from.dependents.push_back(&to);
}

// Where `from` stands among the dependencies of `to`; their number: nowhere.
size_t IndexOf(const GraphNode& from, const GraphNode& to) {
  return std::find(to.dependencies.begin(), to.dependencies.end(), &from) -
         to.dependencies.begin();
}

bool Linked(const GraphNode& from, const GraphNode& to) {
  return IndexOf(from, to) < to.dependencies.size();
}

void Unlink(GraphNode& from, GraphNode& to) {
  TellEdge(ResourceEvent::kGraphDependencyDestroyed, from, to);
  const auto index = static_cast<std::ptrdiff_t>(IndexOf(from, to));
  to.dependencies.erase(to.dependencies.begin() + index);
  to.edges.erase(to.edges.begin() + index);
  std::erase(from.dependents, &to);
}

// Only kernels have ports, outgoing ones; a programmatic edge needs one and
// leads from kernel to kernel. `to` of no type yet: unknown.
bool IsEdge(const EdgeData& edge, const GraphNode& from,
            const GraphNode* to = nullptr) {
  if (edge == EdgeData{}) return true;
  const bool kernels = from.type == GraphNodeType::kKernel &&
                       (to == nullptr || to->type == GraphNodeType::kKernel);
  return kernels && edge.to_port == 0 &&
         edge.from_port <= kPortLaunchCompletion &&
         edge.type <= kEdgeProgrammatic &&
         (edge.type != kEdgeProgrammatic || edge.from_port != 0) &&
         edge.reserved == EdgeData{}.reserved;
}

void DeleteNode(GraphNode* node, int64_t busy_until_ns) {
  TellNode(ResourceEvent::kGraphNodeDestroyed, node, nullptr);
  if (node->child != nullptr) DestroyGraph(node->child, busy_until_ns);
  for (Graph* body : node->bodies) DestroyGraph(body, busy_until_ns);
  HandlePool<GraphNode>::Delete(node);
}

using ConditionMap = std::unordered_map<const GraphCondition*, GraphCondition*>;

Graph* CloneTree(const Graph& graph, NodeMap* clones, ConditionMap& conditions);

Graph* CloneInto(GraphNode& node, const Graph& inner, NodeMap* clones,
                 ConditionMap& conditions) {
  Graph* clone = CloneTree(inner, clones, conditions);
  clone->parent = &node;
  return clone;
}

void CloneNode(const GraphNode& node, GraphNode& clone, NodeMap* clones,
               ConditionMap& conditions) {
  clone.enabled = node.enabled;
  clone.attributes = node.attributes;
  clone.priority = node.priority;
  clone.condition_type = node.condition_type;
  // CUPTI tells of a clone twice (Proton's CuptiProfiler.cpp relies on it).
  TellNode(ResourceEvent::kGraphNodeCreated, &clone, nullptr);
  TellNode(ResourceEvent::kGraphNodeCloned, &clone, &node);
  if (node.condition != nullptr) {
    clone.condition = conditions[node.condition];
  }
  if (node.child != nullptr) {
    clone.child = CloneInto(clone, *node.child, clones, conditions);
  }
  for (const Graph* body : node.bodies) {
    clone.bodies.push_back(CloneInto(clone, *body, clones, conditions));
  }
}

Graph* CloneTree(const Graph& graph, NodeMap* clones,
                 ConditionMap& conditions) {
  auto* copy = HandlePool<Graph>::New(g_last_graph_id.fetch_add(1) + 1);
  TellGraph(ResourceEvent::kGraphCloned, copy, &graph);
  copy->user_objects = graph.user_objects;
  RetainAll(copy->user_objects);
  for (const GraphCondition* condition : graph.conditions) {
    auto* clone = HandlePool<GraphCondition>::New(
        copy, condition->default_value, condition->flags);
    clone->used = condition->used;
    copy->conditions.push_back(clone);
    conditions[condition] = clone;
  }
  NodeMap& local = copy->clone_of;
  for (const GraphNode* node : graph.nodes) {
    local[node] = MakeNode(*copy, node->type, node->work);
    CloneNode(*node, *local[node], clones, conditions);
  }
  for (const GraphNode* node : graph.nodes) {
    for (size_t i = 0; i < node->dependencies.size(); ++i) {
      Link(*local.at(node->dependencies[i]), *local.at(node), node->edges[i]);
    }
  }
  if (clones != nullptr) clones->insert(local.begin(), local.end());
  return copy;
}

bool IsMemoryNode(const GraphNode& node) {
  return node.type == GraphNodeType::kMemoryAlloc ||
         node.type == GraphNodeType::kMemoryFree;
}

// The bodies are empty at first.
void MakeBodies(GraphNode& node, const ConditionalSpec& spec) {
  node.condition = spec.condition;
  node.condition_type = spec.type;
  spec.condition->used = true;
  for (unsigned i = 0; i < spec.size; ++i) {
    Graph* body = NewGraph();
    body->parent = &node;
    node.bodies.push_back(body);
  }
}

// What a new node owns besides its work. REQUIRES: the specification is right.
void FillNode(GraphNode& node, const NodeSpec& spec) {
  node.priority = spec.priority;
  if (spec.child != nullptr) {
    node.child =
        spec.move_child ? spec.child : CloneGraph(*spec.child, nullptr);
    node.child->parent = &node;
  }
  if (spec.conditional.condition != nullptr) MakeBodies(node, spec.conditional);
}

// "The graph must not contain conditional nodes. Graphs containing memory nodes
// must set the ownership to be moved."
Error CheckChild(const Graph& graph, const NodeSpec& spec) {
  const Graph& child = *spec.child;
  if (&child == &graph || (spec.move_child && child.parent != nullptr)) {
    return Error::kInvalidValue;
  }
  for (const GraphNode* node : child.nodes) {
    if (node->type == GraphNodeType::kConditional) return Error::kNotSupported;
  }
  return !spec.move_child && HasMemoryNodes(child) ? Error::kNotSupported
                                                   : Error::kSuccess;
}

Error CheckSpec(const Graph& graph, const NodeSpec& spec) {
  if (spec.type == GraphNodeType::kConditional) {
    return CheckCondition(graph, spec.conditional);
  }
  return spec.child == nullptr ? Error::kSuccess : CheckChild(graph, spec);
}

}  // namespace

Graph* NewGraph() {
  auto* graph = HandlePool<Graph>::New(g_last_graph_id.fetch_add(1) + 1);
  TellGraph(ResourceEvent::kGraphCreated, graph, nullptr);
  return graph;
}

void DestroyGraph(Graph* graph, int64_t busy_until_ns) {
  for (GraphNode* node : graph->nodes) DeleteNode(node, busy_until_ns);
  for (GraphCondition* condition : graph->conditions) {
    HandlePool<GraphCondition>::Delete(condition);
  }
  ReleaseAll(graph->user_objects, busy_until_ns);
  TellGraph(ResourceEvent::kGraphDestroyed, graph, nullptr);
  HandlePool<Graph>::Delete(graph);
}

Error CheckDependencies(const Graph& graph,
                        const DependencyView& dependencies) {
  const auto& nodes = dependencies.nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto rest = nodes.subspan(i + 1);
    if (nodes[i] == nullptr || nodes[i]->graph != &graph ||
        !IsEdge(dependencies.EdgeOf(i), *nodes[i]) ||
        std::find(rest.begin(), rest.end(), nodes[i]) != rest.end()) {
      return Error::kInvalidValue;
    }
  }
  return Error::kSuccess;
}

Error AddNode(Graph& graph, NodeSpec spec, const DependencyView& dependencies,
              GraphNode** node) {
  for (const Error error :
       {CheckDependencies(graph, dependencies), CheckSpec(graph, spec)}) {
    if (error != Error::kSuccess) return error;
  }
  TellNodeStarting(graph, spec.type);
  GraphNode* made = MakeNode(graph, spec.type, std::move(spec.work));
  for (size_t i = 0; i < dependencies.nodes.size(); ++i) {
    Link(*dependencies.nodes[i], *made, dependencies.EdgeOf(i));
  }
  FillNode(*made, spec);
  TellNode(ResourceEvent::kGraphNodeCreated, made, nullptr);
  for (GraphNode* from : dependencies.nodes) {
    TellEdge(ResourceEvent::kGraphDependencyCreated, *from, *made);
  }
  if (node != nullptr) *node = made;
  return Error::kSuccess;
}

Error DestroyNode(GraphNode& node) {
  if (IsMemoryNode(node)) return Error::kNotSupported;
  while (!node.dependencies.empty()) Unlink(*node.dependencies.back(), node);
  while (!node.dependents.empty()) Unlink(node, *node.dependents.back());
  std::erase(node.graph->nodes, &node);
  DeleteNode(&node, 0);
  return Error::kSuccess;
}

Error AddDependency(GraphNode& from, GraphNode& to, const EdgeData& edge) {
  if (from.graph != to.graph || &from == &to || Linked(from, to) ||
      !IsEdge(edge, from, &to)) {
    return Error::kInvalidValue;
  }
  Link(from, to, edge);
  TellEdge(ResourceEvent::kGraphDependencyCreated, from, to);
  return Error::kSuccess;
}

Error RemoveDependency(GraphNode& from, GraphNode& to, const EdgeData& edge) {
  if (!Linked(from, to) || EdgeBetween(from, to) != edge) {
    return Error::kInvalidValue;
  }
  Unlink(from, to);
  return Error::kSuccess;
}

const EdgeData& EdgeBetween(const GraphNode& from, const GraphNode& to) {
  return to.edges[IndexOf(from, to)];
}

Graph* CloneGraph(const Graph& graph, NodeMap* clones) {
  ConditionMap conditions;
  return CloneTree(graph, clones, conditions);
}

bool HasMemoryNodes(const Graph& graph) {
  return std::any_of(
      graph.nodes.begin(), graph.nodes.end(), [](const GraphNode* node) {
        return IsMemoryNode(*node) ||
               (node->child != nullptr && HasMemoryNodes(*node->child));
      });
}

GraphNodeType TypeOf(const Work& work) {
  constexpr GraphNodeType kTypes[] = {
      GraphNodeType::kEmpty,
      GraphNodeType::kKernel,
      GraphNodeType::kCopy,
      GraphNodeType::kMemset,
      GraphNodeType::kHost,
      GraphNodeType::kEventRecord,
      GraphNodeType::kEventWait,
      GraphNodeType::kMemoryAlloc,
      GraphNodeType::kMemoryFree,
      GraphNodeType::kMemoryOperations,
      GraphNodeType::kSemaphoreSignal,
      GraphNodeType::kEmpty,  // migration: is not captured
  };
  static_assert(std::size(kTypes) == std::variant_size_v<Work>);
  const auto* semaphore = std::get_if<SemaphoreWork>(&work);
  if (semaphore != nullptr && !semaphore->signal) {
    return GraphNodeType::kSemaphoreWait;
  }
  return kTypes[work.index()];
}

std::vector<GraphNode*> TopologicalOrder(const Graph& graph) {
  std::unordered_map<const GraphNode*, size_t> waiting;
  std::deque<GraphNode*> ready;
  for (GraphNode* node : graph.nodes) {
    waiting[node] = node->dependencies.size();
    if (node->dependencies.empty()) ready.push_back(node);
  }
  std::vector<GraphNode*> order;
  while (!ready.empty()) {
    GraphNode* node = ready.front();
    ready.pop_front();
    order.push_back(node);
    for (GraphNode* next : node->dependents) {
      if (--waiting[next] == 0) ready.push_back(next);
    }
  }
  if (order.size() != graph.nodes.size()) order.clear();
  return order;
}

}  // namespace dltap::simgpu
