// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/graph_exec.h"

#include <algorithm>

#include "shim/simgpu/device/activity.h"
#include "shim/simgpu/device/capture.h"
#include "shim/simgpu/device/clock.h"
#include "shim/simgpu/device/event.h"
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

// False when a graph in the tree has a cycle.
bool OrderTree(const Graph& graph, GraphExec& exec) {
  std::vector<GraphNode*> order = TopologicalOrder(graph);
  if (order.empty() && !graph.nodes.empty()) return false;
  for (const GraphNode* node : order) {
    if (node->child != nullptr && !OrderTree(*node->child, exec)) return false;
  }
  if (!IsChain(graph)) exec.is_chain = false;
  exec.orders[&graph] = std::move(order);
  return true;
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

  int64_t RunNode(GraphNode& node, int64_t ready_ns) {
    if (!node.enabled) return ready_ns;
    if (node.child != nullptr) return Run(*node.child, ready_ns);
    if (auto* wait = std::get_if<EventWaitWork>(&node.work)) {
      const std::lock_guard lock(wait->event->mutex);
      return std::max(ready_ns, wait->event->time_ns);
    }
    const Span span = Occupy(stream_, node.work,
                             {.begin_ns = ready_ns,
                              .now_ns = submitted_ns_,
                              .priority = stream_.priority,
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

GraphUpdateResult Compare(const Graph& ours, const Graph& theirs,
                          GraphNode** culprit);

GraphUpdateResult CompareNodes(const GraphNode& ours, GraphNode& theirs,
                               GraphNode** culprit) {
  if (ours.type != theirs.type) {
    *culprit = &theirs;
    return GraphUpdateResult::kNodeTypeChanged;
  }
  if (ours.dependencies.size() != theirs.dependencies.size()) {
    *culprit = &theirs;
    return GraphUpdateResult::kTopologyChanged;
  }
  if (ours.child != nullptr)
    return Compare(*ours.child, *theirs.child, culprit);
  return GraphUpdateResult::kSuccess;
}

GraphUpdateResult Compare(const Graph& ours, const Graph& theirs,
                          GraphNode** culprit) {
  if (ours.nodes.size() != theirs.nodes.size()) {
    return GraphUpdateResult::kTopologyChanged;
  }
  for (size_t i = 0; i < ours.nodes.size(); ++i) {
    const auto result = CompareNodes(*ours.nodes[i], *theirs.nodes[i], culprit);
    if (result != GraphUpdateResult::kSuccess) return result;
  }
  return GraphUpdateResult::kSuccess;
}

void CopyParameters(Graph& ours, const Graph& theirs, NodeMap& clones) {
  for (size_t i = 0; i < ours.nodes.size(); ++i) {
    ours.nodes[i]->work = theirs.nodes[i]->work;
    clones[theirs.nodes[i]] = ours.nodes[i];
    if (ours.nodes[i]->child != nullptr) {
      CopyParameters(*ours.nodes[i]->child, *theirs.nodes[i]->child, clones);
    }
  }
}

}  // namespace

Error InstantiateGraph(const Graph& graph, uint64_t flags, GraphExec** exec) {
  NodeMap clones;
  auto* made = HandlePool<GraphExec>::New(CloneGraph(graph, &clones));
  made->clones = std::move(clones);
  made->flags = flags;
  if (!OrderTree(*made->graph, *made)) {
    DestroyGraphExec(*made);
    return Error::kInvalidValue;
  }
  TellExec(ResourceEvent::kGraphExecCreated, *made, &graph);
  *exec = made;
  return Error::kSuccess;
}

Error DestroyGraphExec(GraphExec& exec) {
  TellExec(ResourceEvent::kGraphExecDestroyed, exec, nullptr);
  DestroyGraph(exec.graph);
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

GraphUpdateResult UpdateGraphExec(GraphExec& exec, const Graph& graph,
                                  GraphNode** culprit) {
  GraphNode* unused = nullptr;
  const std::lock_guard lock(exec.mutex);
  const auto result =
      Compare(*exec.graph, graph, culprit == nullptr ? &unused : culprit);
  if (result == GraphUpdateResult::kSuccess) {
    CopyParameters(*exec.graph, graph, exec.clones);
  }
  return result;
}

Error UpdateChildGraph(GraphExec& exec, GraphNode& node, const Graph& child) {
  GraphNode* culprit = nullptr;
  const std::lock_guard lock(exec.mutex);
  if (Compare(*node.child, child, &culprit) != GraphUpdateResult::kSuccess) {
    return Error::kInvalidValue;
  }
  CopyParameters(*node.child, child, exec.clones);
  return Error::kSuccess;
}

uint32_t GraphExecIdOf(void* graph_exec) {
  const auto* found = FromHandle<GraphExec>(graph_exec);
  return found == nullptr ? 0 : found->graph->id;
}

}  // namespace dltap::simgpu
