// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/graph_exec.h"

#include <algorithm>

#include "shim/simgpu/device/activity.h"
#include "shim/simgpu/device/capture.h"
#include "shim/simgpu/device/clock.h"
#include "shim/simgpu/device/event.h"
#include "shim/simgpu/device/graph_condition.h"
#include "shim/simgpu/device/submit.h"
#include "shim/simgpu/device/timeline.h"

namespace dltap::simgpu {
namespace {

// Each node after the one before, no two beside each other.
bool IsChain(const Graph& graph) {
  size_t roots = 0;
  for (const GraphNode* node : graph.nodes) {
    if (node->dependencies.empty()) ++roots;
    if (node->dependents.size() > 1) return false;
  }
  return roots <= 1;
}

// The first graph of the tree that has a cycle; null: none.
const Graph* OrderTree(const Graph& graph, GraphExec& exec) {
  std::vector<GraphNode*> order = TopologicalOrder(graph);
  if (order.empty() && !graph.nodes.empty()) return &graph;
  for (const GraphNode* node : order) {
    std::vector<const Graph*> inside(node->bodies.begin(), node->bodies.end());
    if (node->child != nullptr) inside.push_back(node->child);
    for (const Graph* inner : inside) {
      if (const Graph* bad = OrderTree(*inner, exec)) return bad;
    }
  }
  if (!IsChain(graph)) exec.is_chain = false;
  exec.orders[&graph] = std::move(order);
  return nullptr;
}

constexpr uint64_t kAllFlags =
    kAutoFreeOnLaunch | kUploadAtOnce | kDeviceLaunch | kUseNodePriority;
constexpr uint64_t kImpossibleFlags = kAutoFreeOnLaunch | kDeviceLaunch;

// "The graph can only contain kernel nodes, memcpy nodes, memset nodes, and
// child graph nodes."
bool IsForDevice(GraphNodeType type) {
  return type == GraphNodeType::kKernel || type == GraphNodeType::kCopy ||
         type == GraphNodeType::kMemset || type == GraphNodeType::kChildGraph;
}

// "Allowed node types are kernel nodes, empty nodes, child graphs, memsets,
// memcopies, and conditionals."
bool IsForBody(GraphNodeType type) {
  return IsForDevice(type) || type == GraphNodeType::kEmpty ||
         type == GraphNodeType::kConditional;
}

using IsAllowed = bool (*)(GraphNodeType);

// The first node of the tree that is not allowed; null: none.
GraphNode* FindForbidden(const Graph& graph, IsAllowed is_allowed) {
  for (GraphNode* node : graph.nodes) {
    if (is_allowed != nullptr && !is_allowed(node->type)) return node;
    for (const Graph* body : node->bodies) {
      if (GraphNode* bad = FindForbidden(*body, IsForBody)) return bad;
    }
    if (node->child == nullptr) continue;
    if (GraphNode* bad = FindForbidden(*node->child, is_allowed)) return bad;
  }
  return nullptr;
}

InstantiateReport CheckNodes(const Graph& graph, uint64_t flags) {
  if (!AllConditionsUsed(graph)) {
    return {InstantiateResult::kConditionUnused, nullptr};
  }
  const bool by_device = (flags & kDeviceLaunch) != 0;
  if (by_device && graph.nodes.empty()) {
    return {InstantiateResult::kInvalidStructure, nullptr};
  }
  if (GraphNode* bad =
          FindForbidden(graph, by_device ? IsForDevice : nullptr)) {
    return {InstantiateResult::kNodeNotSupported, bad};
  }
  return {};
}

// The node of the instantiated graph that this clone stands for.
GraphNode* OriginalOf(const GraphExec& exec, const GraphNode* clone) {
  for (const auto& [original, ours] : exec.clones) {
    if (ours == clone) return const_cast<GraphNode*>(original);
  }
  return nullptr;
}

void TellExec(ResourceEvent event, GraphExec& exec, const Graph* original) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource({.event = event,
                                .context = nullptr,
                                .handle = &exec,
                                .original_graph = const_cast<Graph*>(original),
                                .node = nullptr,
                                .original_node = nullptr,
                                .node_type = 0});
}

// Runs one graph of the exec's tree on the stream's device from begin_ns on.
// REQUIRES: stream.mutex, exec.mutex.
class Replay {
 public:
  Replay(GraphExec& exec, Stream& stream)
      : exec_(exec), stream_(stream), submitted_ns_(SimNow()) {}

  int64_t Run(const Graph& graph, int64_t begin_ns) {
    int64_t last_ns = begin_ns;
    for (GraphNode* node : exec_.orders.at(&graph)) {
      int64_t ready_ns = begin_ns;
      for (size_t i = 0; i < node->dependencies.size(); ++i) {
        ready_ns = std::max(ready_ns,
                            ReadyAfter(*node->dependencies[i], node->edges[i]));
      }
      node->begin_ns = ready_ns;
      node->end_ns = RunNode(*node, ready_ns);
      last_ns = std::max(last_ns, node->end_ns);
    }
    return last_ns;
  }

 private:
  // A programmatic edge saves the gap, or waits for the earlier kernel's
  // beginning only.
  static int64_t ReadyAfter(const GraphNode& node, const EdgeData& edge) {
    if (edge.type != kEdgeProgrammatic) return node.end_ns + kGraphNodeGapNs;
    return edge.from_port == kPortLaunchCompletion ? node.begin_ns
                                                   : node.end_ns;
  }

  int PriorityOf(const GraphNode& node) const {
    return (exec_.flags & kUseNodePriority) != 0 ? node.priority
                                                 : stream_.priority.load();
  }

  int64_t RunNode(GraphNode& node, int64_t ready_ns) {
    if (!node.enabled) return ready_ns;
    if (node.child != nullptr) return Run(*node.child, ready_ns);
    if (node.type == GraphNodeType::kConditional) {
      const Graph* body = ChosenBody(node);
      return body == nullptr ? ready_ns : Run(*body, ready_ns);
    }
    if (auto* wait = std::get_if<EventWaitWork>(&node.work)) {
      const std::lock_guard lock(wait->event->mutex);
      return std::max(ready_ns, wait->event->time_ns);
    }
    const Span span = Occupy(stream_, node.work,
                             {.begin_ns = ready_ns,
                              .now_ns = submitted_ns_,
                              .priority = PriorityOf(node),
                              .in_order = exec_.is_chain});
    node.begin_ns = span.begin_ns;
    if (auto* record = std::get_if<EventRecordWork>(&node.work)) {
      const std::lock_guard lock(record->event->mutex);
      record->event->recorded = true;
      record->event->time_ns = span.end_ns;
      record->event->capture_id = 0;
    }
    Execute(stream_, node.work, span, submitted_ns_,
            {exec_.graph->id, node.id});
    return span.end_ns;
  }

  GraphExec& exec_;
  Stream& stream_;
  const int64_t submitted_ns_;
};

}  // namespace

Error InstantiateGraph(Graph& graph, uint64_t flags, GraphExec** exec,
                       InstantiateReport* report) {
  *exec = nullptr;
  *report = {InstantiateResult::kError, nullptr};
  const bool exclusive = HasMemoryNodes(graph);
  if ((flags & ~kAllFlags) != 0 ||
      (flags & kImpossibleFlags) == kImpossibleFlags ||
      graph.parent != nullptr || (exclusive && graph.execs > 0)) {
    return Error::kInvalidValue;
  }
  *report = CheckNodes(graph, flags);
  if (report->result != InstantiateResult::kSuccess) {
    return Error::kInvalidValue;
  }
  NodeMap clones;
  auto* made = HandlePool<GraphExec>::New(CloneGraph(graph, &clones), &graph);
  made->clones = std::move(clones);
  made->flags = flags;
  if (const Graph* bad = OrderTree(*made->graph, *made)) {
    *report = {InstantiateResult::kInvalidStructure,
               OriginalOf(*made, bad->nodes.front())};
    ++graph.execs;
    DestroyGraphExec(*made);
    return Error::kInvalidValue;
  }
  ++graph.execs;
  TellExec(ResourceEvent::kGraphExecCreated, *made, &graph);
  *exec = made;
  return Error::kSuccess;
}

Error DestroyGraphExec(GraphExec& exec) {
  TellExec(ResourceEvent::kGraphExecDestroyed, exec, nullptr);
  if (FromHandle<Graph>(exec.original) != nullptr && exec.original->execs > 0) {
    --exec.original->execs;
  }
  DestroyGraph(exec.graph, exec.tail_ns);
  HandlePool<GraphExec>::Delete(&exec);
  return Error::kSuccess;
}

Error LaunchGraph(GraphExec& exec, Stream& stream) {
  if (stream.capture.load(std::memory_order_acquire) != nullptr) {
    return CaptureChildGraph(stream, *exec.graph);
  }
  if (const Error error = CheckImplicitCapture(stream);
      error != Error::kSuccess) {
    return error;
  }
  const std::scoped_lock lock(stream.mutex, exec.mutex);
  const int64_t begin_ns =
      std::max(EarliestBegin(stream, SimNow()), exec.tail_ns + kKernelGapNs);
  const int64_t end_ns = Replay(exec, stream).Run(*exec.graph, begin_ns);
  exec.tail_ns = end_ns;
  stream.tail_ns.store(end_ns, std::memory_order_relaxed);
  return Error::kSuccess;
}

GraphNode* NodeInExec(GraphExec& exec, const GraphNode* original) {
  const auto found = exec.clones.find(original);
  return found == exec.clones.end() ? nullptr : found->second;
}

uint32_t GraphExecIdOf(void* graph_exec) {
  const auto* found = FromHandle<GraphExec>(graph_exec);
  return found == nullptr ? 0 : found->graph->id;
}

}  // namespace dltap::simgpu
