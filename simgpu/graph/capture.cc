// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/capture.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "simgpu/stream/event.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<int> g_active{0};

struct Captures {
  std::mutex mutex;
  std::vector<Capture*> active;
  uint64_t last_id = 0;
};

Captures& All() {
  static auto* const captures = new Captures;
  return *captures;
}

// REQUIRES: the capture mutex, for all that follows.

void Join(Capture& capture, Stream& stream) {
  const std::lock_guard lock(stream.mutex);
  capture.streams.push_back(&stream);
  stream.frontier.Clear();
  stream.capture.store(&capture, std::memory_order_release);
}

void Close(Capture* capture) {
  for (Stream* stream : capture->streams) {
    const std::lock_guard lock(stream->mutex);
    stream->capture.store(nullptr, std::memory_order_release);
    stream->frontier.Clear();
  }
  if (capture->mode != CaptureMode::kRelaxed)
    --capture->thread->strict_captures;
  std::erase(All().active, capture);
  g_active.store(static_cast<int>(All().active.size()));
  delete capture;
}

Capture* FindById(uint64_t id) {
  for (Capture* capture : All().active) {
    if (capture->id == id) return capture;
  }
  return nullptr;
}

void AddToFrontier(Stream& stream, const DependencyView& added) {
  const std::vector<GraphNode*>& there = stream.frontier.nodes;
  for (size_t i = 0; i < added.nodes.size(); ++i) {
    if (std::find(there.begin(), there.end(), added.nodes[i]) == there.end()) {
      stream.frontier.Add(added.nodes[i], added.EdgeOf(i));
    }
  }
}

// Every stream's last nodes must lead to the origin's.
bool AllJoined(const Capture& capture) {
  std::unordered_set<const GraphNode*> reached;
  std::vector<const GraphNode*> open(capture.origin->frontier.nodes.begin(),
                                     capture.origin->frontier.nodes.end());
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(),
                node->dependencies.end());
  }
  for (const Stream* stream : capture.streams) {
    for (const GraphNode* node : stream->frontier.nodes) {
      if (!reached.contains(node)) return false;
    }
  }
  return true;
}

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

// Work on the legacy stream would follow the capture's streams.
bool ImplicitlyDependsOn(const Stream& stream, const Capture& capture) {
  if (!stream.legacy) return false;
  for (const Stream* member : capture.streams) {
    if (member->blocking() && member->device == stream.device) return true;
  }
  return false;
}

Error WhyNotToEnd(const Stream& stream, const Capture& capture) {
  if (capture.origin != &stream) return Error::kCaptureUnmatched;
  if (capture.mode != CaptureMode::kRelaxed &&
      capture.thread_id != CurrentThread().thread_id) {
    return Error::kCaptureWrongThread;
  }
  return Error::kSuccess;
}

}  // namespace

bool AnyCapture() { return g_active.load(std::memory_order_relaxed) != 0; }

Error BeginCapture(Stream& stream, CaptureMode mode, Graph* graph,
                   const DependencyView& dependencies) {
  if (graph != nullptr) {
    const Error error = CheckDependencies(*graph, dependencies);
    if (error != Error::kSuccess) return error;
  }
  if (stream.legacy) return Error::kCaptureUnsupported;
  Captures& all = All();
  const std::lock_guard lock(all.mutex);
  if (stream.capture.load() != nullptr) return Error::kIllegalState;
  ThreadState& thread = CurrentThread();
  auto* capture = new Capture{.id = ++all.last_id,
                              .graph = graph == nullptr ? NewGraph() : graph,
                              .owns_graph = graph == nullptr,
                              .origin = &stream,
                              .mode = mode,
                              .thread_id = thread.thread_id,
                              .thread = &thread,
                              .invalidated = false,
                              .streams = {}};
  if (mode != CaptureMode::kRelaxed) ++thread.strict_captures;
  all.active.push_back(capture);
  g_active.store(static_cast<int>(all.active.size()));
  Join(*capture, stream);
  AddToFrontier(stream, dependencies);
  return Error::kSuccess;
}

Error EndCapture(Stream& stream, Graph** graph) {
  *graph = nullptr;
  const std::lock_guard lock(All().mutex);
  Capture* capture = stream.capture.load();
  if (capture == nullptr) return Error::kIllegalState;
  if (const Error error = WhyNotToEnd(stream, *capture);
      error != Error::kSuccess) {
    return error;
  }
  Error result = Error::kSuccess;
  if (capture->invalidated) {
    result = Error::kCaptureInvalidated;
  } else if (!AllJoined(*capture)) {
    result = Error::kCaptureUnjoined;
  }
  if (result == Error::kSuccess) {
    *graph = capture->graph;
  } else if (capture->owns_graph) {
    DestroyGraph(capture->graph);
  }
  Close(capture);
  return result;
}

Error GetCaptureInfo(Stream& stream, CaptureInfo* info) {
  *info = {};
  if (!AnyCapture()) return Error::kSuccess;
  const std::lock_guard lock(All().mutex);
  for (const Capture* capture : All().active) {
    if (ImplicitlyDependsOn(stream, *capture)) return Error::kCaptureImplicit;
  }
  const Capture* capture = stream.capture.load();
  if (capture == nullptr) return Error::kSuccess;
  *info = {.status = capture->invalidated ? CaptureStatus::kInvalidated
                                          : CaptureStatus::kActive,
           .id = capture->id,
           .graph = capture->graph,
           .frontier = &stream.frontier};
  return Error::kSuccess;
}

Error UpdateCaptureFrontier(Stream& stream, const DependencyView& dependencies,
                            bool replace) {
  const std::lock_guard lock(All().mutex);
  Capture* capture = stream.capture.load();
  if (capture == nullptr) return Error::kIllegalState;
  if (capture->invalidated) return Error::kCaptureInvalidated;
  const Error error = CheckDependencies(*capture->graph, dependencies);
  if (error != Error::kSuccess) return error;
  if (replace) stream.frontier.Clear();
  AddToFrontier(stream, dependencies);
  return Error::kSuccess;
}

void AbandonCapture(Stream& stream) {
  const std::lock_guard lock(All().mutex);
  Capture* capture = stream.capture.load();
  if (capture == nullptr) return;
  capture->invalidated = true;
  if (capture->origin == &stream) {
    if (capture->owns_graph) DestroyGraph(capture->graph);
    Close(capture);
  } else {
    std::erase(capture->streams, &stream);
  }
}

Error CaptureNode(Stream& stream, NodeSpec spec) {
  const std::lock_guard lock(All().mutex);
  Capture* capture = stream.capture.load();
  if (capture == nullptr || capture->invalidated) {
    return Error::kCaptureInvalidated;
  }
  GraphNode* node = nullptr;
  spec.priority = stream.priority;
  const std::vector<EdgeData> edges = EdgesTo(spec.work, stream.frontier);
  const Error error = AddNode(*capture->graph, std::move(spec),
                              {stream.frontier.nodes, edges.data()}, &node);
  if (error != Error::kSuccess) return error;
  stream.frontier.Clear();
  stream.frontier.Add(node, {});
  return Error::kSuccess;
}

Error CaptureWork(Stream& stream, Work work) {
  const GraphNodeType type = TypeOf(work);
  return CaptureNode(stream,
                     {.type = type, .work = std::move(work), .child = nullptr});
}

Error CaptureChildGraph(Stream& stream, const Graph& child) {
  return CaptureNode(stream, {.type = GraphNodeType::kChildGraph,
                              .work = EmptyWork{},
                              .child = const_cast<Graph*>(&child)});
}

Error CaptureEventRecord(Event& event, Stream& stream) {
  const std::lock_guard lock(All().mutex);
  Capture* capture = stream.capture.load();
  if (capture == nullptr || capture->invalidated) {
    return Error::kCaptureInvalidated;
  }
  const std::lock_guard event_lock(event.mutex);
  event.recorded = true;
  event.capture_id = capture->id;
  event.frontier = stream.frontier;
  return Error::kSuccess;
}

Error CaptureEventWait(Stream& stream, Event& event) {
  const std::lock_guard lock(All().mutex);
  const std::lock_guard event_lock(event.mutex);
  Capture* mine = stream.capture.load();
  Capture* theirs = FindById(event.capture_id);
  if (mine == nullptr && theirs == nullptr) return Error::kNotReady;
  if (mine != nullptr && mine->invalidated) return Error::kCaptureInvalidated;
  if (theirs == nullptr) {
    if (!event.recorded) return Error::kSuccess;
    mine->invalidated = true;
    return Error::kCaptureIsolation;
  }
  if (stream.legacy) {
    theirs->invalidated = true;
    return Error::kCaptureImplicit;
  }
  if (mine != nullptr && mine != theirs) {
    mine->invalidated = theirs->invalidated = true;
    return Error::kCaptureMerge;
  }
  if (mine == nullptr) Join(*theirs, stream);
  AddToFrontier(stream, ViewOf(event.frontier));
  return Error::kSuccess;
}

Error CheckImplicitCapture(Stream& stream) {
  if (!AnyCapture() || !stream.legacy) return Error::kSuccess;
  const std::lock_guard lock(All().mutex);
  Error error = Error::kSuccess;
  for (Capture* capture : All().active) {
    if (!ImplicitlyDependsOn(stream, *capture)) continue;
    capture->invalidated = true;
    error = Error::kCaptureImplicit;
  }
  return error;
}

Error CheckUnsafeCall() {
  if (!AnyCapture()) return Error::kSuccess;
  const ThreadState& thread = CurrentThread();
  if (thread.capture_mode == CaptureMode::kRelaxed) return Error::kSuccess;
  const std::lock_guard lock(All().mutex);
  Error error = Error::kSuccess;
  for (Capture* capture : All().active) {
    const bool own = capture->thread_id == thread.thread_id &&
                     capture->mode != CaptureMode::kRelaxed;
    const bool others = capture->mode == CaptureMode::kGlobal &&
                        thread.capture_mode == CaptureMode::kGlobal;
    if (!own && !others) continue;
    capture->invalidated = true;
    error = Error::kCaptureUnsupported;
  }
  return error;
}

Error RefuseWhileDeviceCaptures(const Device& device) {
  if (!AnyCapture()) return Error::kSuccess;
  const std::lock_guard lock(All().mutex);
  Error error = Error::kSuccess;
  for (Capture* capture : All().active) {
    if (capture->origin->device != &device) continue;
    capture->invalidated = true;
    error = Error::kCaptureUnsupported;
  }
  return error;
}

Error RefuseCapturedEvent(Event& event) {
  const std::lock_guard lock(All().mutex);
  const std::lock_guard event_lock(event.mutex);
  if (event.capture_id == 0) return Error::kSuccess;
  if (Capture* capture = FindById(event.capture_id)) {
    capture->invalidated = true;
  }
  return Error::kCapturedEvent;
}

Error RefuseWhileCapturing(Stream& stream) {
  if (stream.capture.load(std::memory_order_acquire) == nullptr) {
    return CheckImplicitCapture(stream);
  }
  const std::lock_guard lock(All().mutex);
  Capture* capture = stream.capture.load();
  if (capture == nullptr) return Error::kSuccess;
  capture->invalidated = true;
  return Error::kCaptureUnsupported;
}

}  // namespace dltap::simgpu
