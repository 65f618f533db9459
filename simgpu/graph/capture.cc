// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/capture.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace dltap::simgpu {
namespace {

// A kernel that was launched as programmatically dependent gets programmatic
// edges from the kernels that it follows.
std::vector<EdgeData> EdgesTo(const Work& work, const Frontier& frontier) {
  std::vector<EdgeData> edges = frontier.edges;
  const auto* kernel = std::get_if<KernelWork>(&work);
  if (kernel == nullptr || !kernel->programmatic) return edges;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (frontier.nodes[i]->type != GraphNodeType::kKernel) continue;
    edges[i].from_port = kPortProgrammatic;
    edges[i].type = kEdgeProgrammatic;
  }
  return edges;
}

// The graph of a capture, and what the next node of each stream depends on.
class GraphTarget final : public CaptureTarget {
 public:
  GraphTarget(Graph* graph, bool owns_graph)
      : graph_(graph), owns_graph_(owns_graph) {}
  ~GraphTarget() override {
    if (owns_graph_) DestroyGraph(graph_);
  }
  GraphTarget(const GraphTarget&) = delete;
  GraphTarget& operator=(const GraphTarget&) = delete;

  Error Add(Stream& stream, Work work) override {
    const GraphNodeType type = TypeOf(work);
    return AddNode(stream, {.type = type, .work = std::move(work)});
  }
  void Record(const Event& event, const Stream& stream) override {
    of_events_[event.id] = FrontierOf(stream);
  }
  void Wait(const Stream& stream, const Event& event) override {
    Follow(stream, ViewOf(of_events_[event.id]));
  }

  Error AddNode(const Stream& stream, NodeSpec spec);
  void Follow(const Stream& stream, const DependencyView& dependencies);
  // Every stream's last nodes must lead to the origin's.
  bool AllJoined(const CaptureSequence& capture);

  Graph& graph() { return *graph_; }
  Frontier& FrontierOf(const Stream& stream) { return of_streams_[stream.id]; }
  // It is somebody else's from now on.
  Graph* TakeGraph() {
    owns_graph_ = false;
    return graph_;
  }

 private:
  Graph* const graph_;
  bool owns_graph_;
  std::unordered_map<uint32_t, Frontier> of_streams_;  // by id
  std::unordered_map<uint32_t, Frontier> of_events_;   // those recorded here
};

Error GraphTarget::AddNode(const Stream& stream, NodeSpec spec) {
  Frontier& frontier = FrontierOf(stream);
  GraphNode* node = nullptr;
  spec.priority = stream.priority;
  const std::vector<EdgeData> edges = EdgesTo(spec.work, frontier);
  const Error error = simgpu::AddNode(*graph_, std::move(spec),
                                      {frontier.nodes, edges.data()}, &node);
  if (error != Error::kSuccess) return error;
  frontier.Clear();
  frontier.Add(node, {});
  return Error::kSuccess;
}

void GraphTarget::Follow(const Stream& stream,
                         const DependencyView& dependencies) {
  Frontier& frontier = FrontierOf(stream);
  for (size_t i = 0; i < dependencies.nodes.size(); ++i) {
    if (std::ranges::find(frontier.nodes, dependencies.nodes[i]) ==
        frontier.nodes.end()) {
      frontier.Add(dependencies.nodes[i], dependencies.EdgeOf(i));
    }
  }
}

bool GraphTarget::AllJoined(const CaptureSequence& capture) {
  const Frontier& last = FrontierOf(*capture.origin);
  std::unordered_set<const GraphNode*> reached;
  std::vector<const GraphNode*> open(last.nodes.begin(), last.nodes.end());
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(),
                node->dependencies.end());
  }
  for (const Stream* stream : capture.streams) {
    for (const GraphNode* node : FrontierOf(*stream).nodes) {
      if (!reached.contains(node)) return false;
    }
  }
  return true;
}

// Every capture's target is one: BeginCapture makes them.
GraphTarget& TargetOf(const CaptureSequence& capture) {
  return static_cast<GraphTarget&>(*capture.target);
}

Error WhyNotToEnd(const Stream& stream, const CaptureSequence& capture) {
  if (capture.origin != &stream) return Error::kCaptureUnmatched;
  if (capture.mode != CaptureMode::kRelaxed &&
      capture.thread_id != CurrentThread().thread_id) {
    return Error::kCaptureWrongThread;
  }
  return Error::kSuccess;
}

}  // namespace

Error BeginCapture(Stream& stream, CaptureMode mode, Graph* graph,
                   const DependencyView& dependencies) {
  if (graph != nullptr) {
    const Error error = CheckDependencies(*graph, dependencies);
    if (error != Error::kSuccess) return error;
  }
  if (stream.legacy) return Error::kCaptureUnsupported;
  const std::lock_guard lock(CaptureMutex());
  if (stream.capture.load() != nullptr) return Error::kIllegalState;
  const bool owns_graph = graph == nullptr;
  auto target = std::make_unique<GraphTarget>(owns_graph ? NewGraph() : graph,
                                              owns_graph);
  target->Follow(stream, dependencies);
  OpenCapture(stream, mode, std::move(target));
  return Error::kSuccess;
}

Error EndCapture(Stream& stream, Graph** graph) {
  *graph = nullptr;
  const std::lock_guard lock(CaptureMutex());
  CaptureSequence* capture = stream.capture.load();
  if (capture == nullptr) return Error::kIllegalState;
  if (const Error error = WhyNotToEnd(stream, *capture);
      error != Error::kSuccess) {
    return error;
  }
  GraphTarget& target = TargetOf(*capture);
  Error result = Error::kSuccess;
  if (capture->invalidated) {
    result = Error::kCaptureInvalidated;
  } else if (!target.AllJoined(*capture)) {
    result = Error::kCaptureUnjoined;
  } else {
    *graph = target.TakeGraph();
  }
  CloseCapture(capture);
  return result;
}

Error GetCaptureInfo(Stream& stream, CaptureInfo* info) {
  *info = {};
  if (!AnyCapture()) return Error::kSuccess;
  const std::lock_guard lock(CaptureMutex());
  if (FollowsCapture(stream)) return Error::kCaptureImplicit;
  const CaptureSequence* capture = stream.capture.load();
  if (capture == nullptr) return Error::kSuccess;
  GraphTarget& target = TargetOf(*capture);
  *info = {.status = capture->invalidated ? CaptureStatus::kInvalidated
                                          : CaptureStatus::kActive,
           .id = capture->id,
           .graph = &target.graph(),
           .frontier = &target.FrontierOf(stream)};
  return Error::kSuccess;
}

Error UpdateCaptureFrontier(Stream& stream, const DependencyView& dependencies,
                            bool replace) {
  const std::lock_guard lock(CaptureMutex());
  const CaptureSequence* capture = stream.capture.load();
  if (capture == nullptr) return Error::kIllegalState;
  if (capture->invalidated) return Error::kCaptureInvalidated;
  GraphTarget& target = TargetOf(*capture);
  const Error error = CheckDependencies(target.graph(), dependencies);
  if (error != Error::kSuccess) return error;
  if (replace) target.FrontierOf(stream).Clear();
  target.Follow(stream, dependencies);
  return Error::kSuccess;
}

Error CaptureNode(Stream& stream, NodeSpec spec) {
  const std::lock_guard lock(CaptureMutex());
  const CaptureSequence* capture = stream.capture.load();
  if (capture == nullptr || capture->invalidated) {
    return Error::kCaptureInvalidated;
  }
  return TargetOf(*capture).AddNode(stream, std::move(spec));
}

Error CaptureChildGraph(Stream& stream, const Graph& child) {
  return CaptureNode(stream, {.type = GraphNodeType::kChildGraph,
                              .work = EmptyWork{},
                              .child = const_cast<Graph*>(&child)});
}

}  // namespace dltap::simgpu
