// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_exec.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "simgpu/base/activity.h"
#include "simgpu/base/clock.h"
#include "simgpu/bytes/uncomputed_reads.h"
#include "simgpu/graph/capture.h"
#include "simgpu/graph/graph_condition.h"
#include "simgpu/graph/graph_memory.h"
#include "simgpu/graph/graph_replay.h"
#include "simgpu/stream/host_executor.h"
#include "simgpu/stream/open_work.h"
#include "simgpu/stream/timeline.h"

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
    const auto* kernel = std::get_if<KernelWork>(&node->work);
    if (kernel != nullptr && kernel->exchange != nullptr) {
      exec.has_exchanges = true;
    }
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

void TellExec(ResourceEvent event, GraphExec* exec, const Graph* original) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource(
      {.event = event,
       .handle = exec,
       .original_graph = const_cast<Graph*>(original)});
}

void Free(GraphExec& exec) {
  DestroyGraph(exec.graph, exec.tail_ns);
  HandlePool<GraphExec>::Delete(&exec);
}

uint64_t OpenTicketOf(GraphExec& exec) {
  const std::lock_guard lock(exec.mutex);
  return exec.open_ticket;
}

}  // namespace

void WaitForOpenLaunches(GraphExec& exec) {
  WaitForHostWork(OpenTicketOf(exec));
}

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
  TellExec(ResourceEvent::kGraphExecCreateStarting, nullptr, &graph);
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
  if (exclusive) {
    made->memory = std::make_unique<GraphMemoryPlan>(PlanGraphMemory(*made));
  }
  ++graph.execs;
  TellExec(ResourceEvent::kGraphExecCreated, made, &graph);
  *exec = made;
  return Error::kSuccess;
}

Error DestroyGraphExec(GraphExec& exec) {
  TellExec(ResourceEvent::kGraphExecDestroyed, &exec, nullptr);
  if (FromHandle<Graph>(exec.original) != nullptr && exec.original->execs > 0) {
    --exec.original->execs;
  }
  exec.tag = 0;
  const uint64_t open = OpenTicketOf(exec);
  if (HostWorkDone(open)) {
    Free(exec);
  } else {
    RunOnHost(
        0, [&exec] { Free(exec); }, open);
  }
  return Error::kSuccess;
}

namespace {

// The launch begins at the earliest now where it follows open work.
// REQUIRES: stream.mutex, exec.mutex.
Error TakeMemory(const GraphExec& exec, Stream& stream, bool may_begin) {
  if (exec.memory == nullptr) return Error::kSuccess;
  const int64_t now_ns = SimNow();
  return TakeGraphMemory(
      exec, may_begin ? std::max(EarliestBegin(stream, now_ns), exec.tail_ns)
                      : now_ns);
}

Error LaunchNow(GraphExec& exec, Stream& stream) {
  if (stream.capture.load(std::memory_order_acquire) != nullptr) {
    return CaptureChildGraph(stream, *exec.graph);
  }
  if (const Error error = CheckImplicitCapture(stream);
      error != Error::kSuccess) {
    return error;
  }
  CurrentThread().puts_work = true;
  SettleOpenWork();
  const std::scoped_lock lock(stream.mutex, exec.mutex);
  const bool may_begin = MayBegin(stream) && HostWorkDone(exec.open_ticket);
  if (const Error error = TakeMemory(exec, stream, may_begin);
      error != Error::kSuccess) {
    return error;
  }
  stream.line.Join(exec.order);
  auto replay = std::make_shared<GraphReplay>(exec, stream);
  if (!may_begin || !replay->Advance()) {
    const uint64_t before =
        JoinHostWork(HostTicketBefore(stream), exec.open_ticket);
    exec.open_ticket = GraphReplay::FinishLater(std::move(replay), before);
    FollowOpenWork(stream, exec.open_ticket);
  }
  exec.order = stream.line.Now();
  return Error::kSuccess;
}

}  // namespace

Error LaunchGraph(GraphExec& exec, Stream& stream) {
  const Error error = LaunchNow(exec, stream);
  NameUncomputedRead();  // by the copies in it
  return error;
}

GraphNode* NodeInExec(GraphExec& exec, const GraphNode* original) {
  const auto found = exec.clones.find(original);
  return found == exec.clones.end() ? nullptr : found->second;
}

}  // namespace dltap::simgpu
