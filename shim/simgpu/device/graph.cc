// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/graph.h"

#include <algorithm>
#include <atomic>
#include <deque>

#include "shim/simgpu/device/activity.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<uint32_t> g_last_graph_id{0};

void TellGraph(ResourceEvent event, Graph* graph, const Graph* original) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource({.event = event,
                                .context = nullptr,
                                .handle = graph,
                                .original_graph = const_cast<Graph*>(original),
                                .node = nullptr,
                                .original_node = nullptr,
                                .node_type = 0});
}

void TellNode(ResourceEvent event, GraphNode* node, const GraphNode* original) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource(
      {.event = event,
       .context = nullptr,
       .handle = node->graph,
       .original_graph = original == nullptr ? nullptr : original->graph,
       .node = node,
       .original_node = const_cast<GraphNode*>(original),
       .node_type = static_cast<int>(node->type)});
}

GraphNode* MakeNode(Graph& graph, GraphNodeType type, Work work) {
  const uint64_t id = uint64_t{graph.id} << 32 | ++graph.last_node_number;
  auto* node = HandlePool<GraphNode>::New(&graph, id, type, std::move(work));
  graph.nodes.push_back(node);
  return node;
}

void Link(GraphNode& from, GraphNode& to) {
  to.dependencies.push_back(&from);
  from.dependents.push_back(&to);
}

bool Linked(const GraphNode& from, const GraphNode& to) {
  return std::find(to.dependencies.begin(), to.dependencies.end(), &from) !=
         to.dependencies.end();
}

void DeleteNode(GraphNode* node) {
  TellNode(ResourceEvent::kGraphNodeDestroyed, node, nullptr);
  if (node->child != nullptr) DestroyGraph(node->child);
  HandlePool<GraphNode>::Delete(node);
}

void AdoptChild(GraphNode& node, const Graph& child, NodeMap* clones) {
  node.child = CloneGraph(child, clones);
  node.child->parent = &node;
}

}  // namespace

Graph* NewGraph() {
  auto* graph = HandlePool<Graph>::New(g_last_graph_id.fetch_add(1) + 1);
  TellGraph(ResourceEvent::kGraphCreated, graph, nullptr);
  return graph;
}

void DestroyGraph(Graph* graph) {
  for (GraphNode* node : graph->nodes) DeleteNode(node);
  TellGraph(ResourceEvent::kGraphDestroyed, graph, nullptr);
  HandlePool<Graph>::Delete(graph);
}

Error AddNode(Graph& graph, NodeSpec spec,
              std::span<GraphNode* const> dependencies, GraphNode** node) {
  for (size_t i = 0; i < dependencies.size(); ++i) {
    const auto rest = dependencies.subspan(i + 1);
    if (dependencies[i] == nullptr || dependencies[i]->graph != &graph ||
        std::find(rest.begin(), rest.end(), dependencies[i]) != rest.end()) {
      return Error::kInvalidValue;
    }
  }
  GraphNode* made = MakeNode(graph, spec.type, std::move(spec.work));
  for (GraphNode* dependency : dependencies) Link(*dependency, *made);
  if (spec.child != nullptr) AdoptChild(*made, *spec.child, nullptr);
  TellNode(ResourceEvent::kGraphNodeCreated, made, nullptr);
  if (node != nullptr) *node = made;
  return Error::kSuccess;
}

Error DestroyNode(GraphNode& node) {
  for (GraphNode* before : node.dependencies) {
    std::erase(before->dependents, &node);
  }
  for (GraphNode* after : node.dependents) {
    std::erase(after->dependencies, &node);
  }
  std::erase(node.graph->nodes, &node);
  DeleteNode(&node);
  return Error::kSuccess;
}

Error AddDependency(GraphNode& from, GraphNode& to) {
  if (from.graph != to.graph || &from == &to || Linked(from, to)) {
    return Error::kInvalidValue;
  }
  Link(from, to);
  return Error::kSuccess;
}

Error RemoveDependency(GraphNode& from, GraphNode& to) {
  if (!Linked(from, to)) return Error::kInvalidValue;
  std::erase(to.dependencies, &from);
  std::erase(from.dependents, &to);
  return Error::kSuccess;
}

Graph* CloneGraph(const Graph& graph, NodeMap* clones) {
  auto* copy = HandlePool<Graph>::New(g_last_graph_id.fetch_add(1) + 1);
  TellGraph(ResourceEvent::kGraphCloned, copy, &graph);
  NodeMap local;
  for (const GraphNode* node : graph.nodes) {
    GraphNode* clone = MakeNode(*copy, node->type, node->work);
    clone->enabled = node->enabled;
    local[node] = clone;
    TellNode(ResourceEvent::kGraphNodeCloned, clone, node);
    if (node->child != nullptr) AdoptChild(*clone, *node->child, clones);
  }
  for (const GraphNode* node : graph.nodes) {
    for (const GraphNode* dependency : node->dependencies) {
      Link(*local.at(dependency), *local.at(node));
    }
  }
  if (clones != nullptr) clones->insert(local.begin(), local.end());
  return copy;
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

uint64_t GraphNodeIdOf(void* node) {
  const auto* found = FromHandle<GraphNode>(node);
  return found == nullptr ? 0 : found->id;
}

uint32_t GraphIdOf(void* graph) {
  const auto* found = FromHandle<Graph>(graph);
  return found == nullptr ? 0 : found->id;
}

}  // namespace dltap::simgpu
