// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/capture.h"

#include "simgpu/base/thread_state.h"
#include "simgpu/driver/graph_body.h"

namespace dltap::simgpu {
namespace {

static_assert(static_cast<int>(CaptureMode::kRelaxed) ==
              CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(sizeof(EdgeData) == sizeof(CUgraphEdgeData));
static_assert(static_cast<int>(CaptureStatus::kInvalidated) ==
              CU_STREAM_CAPTURE_STATUS_INVALIDATED);

bool IsMode(CUstreamCaptureMode mode) {
  return mode >= CU_STREAM_CAPTURE_MODE_GLOBAL &&
         mode <= CU_STREAM_CAPTURE_MODE_RELAXED;
}

}  // namespace

namespace body {

Error StreamBeginCapture(Stream& stream, CUstreamCaptureMode mode) {
  if (!IsMode(mode)) return Error::kInvalidValue;
  return BeginCapture(stream, static_cast<CaptureMode>(mode));
}

Error StreamBeginCaptureToGraph(Stream& stream, CUgraph handle,
                                const CUgraphNode* dependencies,
                                const CUgraphEdgeData* edges, size_t count,
                                CUstreamCaptureMode mode) {
  return With<Graph>(handle, [&](Graph& graph) {
    if (!IsMode(mode)) return Error::kInvalidValue;
    return BeginCapture(stream, static_cast<CaptureMode>(mode), &graph,
                        ViewOf(dependencies, count, edges));
  });
}

Error StreamEndCapture(Stream& stream, CUgraph* out) {
  Graph* graph = nullptr;
  const Error error = EndCapture(stream, &graph);
  if (out != nullptr) *out = ToHandle<CUgraph>(graph);
  return error;
}

Error StreamIsCapturing(Stream& stream, CUstreamCaptureStatus* status) {
  if (status == nullptr) return Error::kInvalidValue;
  CaptureInfo info;
  const Error error = GetCaptureInfo(stream, &info);
  *status = static_cast<CUstreamCaptureStatus>(info.status);
  return error;
}

Error StreamGetCaptureInfo(Stream& stream, CUstreamCaptureStatus* status,
                           cuuint64_t* id) {
  return StreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr,
                              nullptr);
}

Error StreamGetCaptureInfo(Stream& stream, CUstreamCaptureStatus* status,
                           cuuint64_t* id, CUgraph* graph,
                           const CUgraphNode** dependencies, size_t* count) {
  return StreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr,
                              count);
}

Error StreamGetCaptureInfo(Stream& stream, CUstreamCaptureStatus* status,
                           cuuint64_t* id, CUgraph* graph,
                           const CUgraphNode** dependencies,
                           const CUgraphEdgeData** edges, size_t* count) {
  if (status == nullptr) return Error::kInvalidValue;
  CaptureInfo info;
  const Error error = GetCaptureInfo(stream, &info);
  if (error != Error::kSuccess) return error;

  *status = static_cast<CUstreamCaptureStatus>(info.status);
  if (info.status != CaptureStatus::kActive) return Error::kSuccess;
  if (id != nullptr) *id = info.id;
  if (graph != nullptr) *graph = ToHandle<CUgraph>(info.graph);
  const Frontier& frontier = *info.frontier;
  if (dependencies != nullptr) {
    if (edges == nullptr && !AllPlain(frontier.edges)) {
      return Error::kLossyQuery;
    }
    *dependencies = reinterpret_cast<const CUgraphNode*>(frontier.nodes.data());
  }
  if (edges != nullptr) {
    *edges = reinterpret_cast<const CUgraphEdgeData*>(frontier.edges.data());
  }
  if (count != nullptr) *count = frontier.nodes.size();
  return Error::kSuccess;
}

Error StreamUpdateCaptureDependencies(Stream& stream, CUgraphNode* dependencies,
                                      size_t count, unsigned flags) {
  return StreamUpdateCaptureDependencies(stream, dependencies, nullptr, count,
                                         flags);
}

Error StreamUpdateCaptureDependencies(Stream& stream, CUgraphNode* dependencies,
                                      const CUgraphEdgeData* edges,
                                      size_t count, unsigned flags) {
  constexpr unsigned kSet = CU_STREAM_SET_CAPTURE_DEPENDENCIES;
  if (flags > kSet) return Error::kInvalidValue;
  return UpdateCaptureFrontier(stream, ViewOf(dependencies, count, edges),
                               flags == kSet);
}

Error ThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr || !IsMode(*mode)) return Error::kInvalidValue;
  ThreadState& thread = CurrentThread();
  const CaptureMode old = thread.capture_mode;
  thread.capture_mode = static_cast<CaptureMode>(*mode);
  *mode = static_cast<CUstreamCaptureMode>(old);
  return Error::kSuccess;
}

}  // namespace body
}  // namespace dltap::simgpu
