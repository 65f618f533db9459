// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "simgpu/base/thread_state.h"
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/capture.h"

namespace dltap::simgpu {
namespace {

static_assert(static_cast<int>(CaptureMode::kRelaxed) ==
              cudaStreamCaptureModeRelaxed);
static_assert(sizeof(EdgeData) == sizeof(cudaGraphEdgeData));
static_assert(static_cast<int>(CaptureStatus::kInvalidated) ==
              cudaStreamCaptureStatusInvalidated);

bool IsMode(cudaStreamCaptureMode mode) {
  return mode >= cudaStreamCaptureModeGlobal &&
         mode <= cudaStreamCaptureModeRelaxed;
}

DependencyView ToDependencies(const cudaGraphNode_t* nodes,
                              const cudaGraphEdgeData* edges, size_t count) {
  return {{reinterpret_cast<GraphNode* const*>(nodes), count},
          reinterpret_cast<const EdgeData*>(edges)};
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Begin(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (!IsMode(mode)) return Error::kInvalidValue;
    return BeginCapture(stream, static_cast<CaptureMode>(mode));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t BeginToGraph(cudaStream_t handle, cudaGraph_t graph_handle,
                         const DependencyView& dependencies,
                         cudaStreamCaptureMode mode) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    Graph* graph = ToGraph(graph_handle);
    if (graph == nullptr || !IsMode(mode)) return Error::kInvalidValue;
    return BeginCapture(stream, static_cast<CaptureMode>(mode), graph,
                        dependencies);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t End(cudaStream_t handle, cudaGraph_t* graph_out) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    Graph* graph = nullptr;
    const Error error = EndCapture(stream, &graph);
    if (graph_out != nullptr) *graph_out = ToHandle<cudaGraph_t>(graph);
    return error;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t IsStreamCapturing(cudaStream_t handle,
                              cudaStreamCaptureStatus* status) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (status == nullptr) return Error::kInvalidValue;
    CaptureInfo info;
    const Error error = GetCaptureInfo(stream, &info);
    *status = static_cast<cudaStreamCaptureStatus>(info.status);
    return error;
  });
}

struct InfoOutputs {
  cudaStreamCaptureStatus* status;
  unsigned long long* id;
  cudaGraph_t* graph;
  const cudaGraphNode_t** dependencies;
  const cudaGraphEdgeData** edges;
  size_t* count;
};

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Info(cudaStream_t handle, const InfoOutputs& out) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (out.status == nullptr) return Error::kInvalidValue;
    CaptureInfo info;
    const Error error = GetCaptureInfo(stream, &info);
    if (error != Error::kSuccess) return error;

    *out.status = static_cast<cudaStreamCaptureStatus>(info.status);
    if (info.status != CaptureStatus::kActive) return Error::kSuccess;
    if (out.id != nullptr) *out.id = info.id;
    if (out.graph != nullptr) *out.graph = ToHandle<cudaGraph_t>(info.graph);
    const Frontier& frontier = *info.frontier;
    if (out.dependencies != nullptr) {
      if (out.edges == nullptr && !AllPlain(frontier.edges)) {
        return Error::kLossyQuery;
      }
      *out.dependencies =
          reinterpret_cast<const cudaGraphNode_t*>(frontier.nodes.data());
    }
    if (out.edges != nullptr) {
      *out.edges =
          reinterpret_cast<const cudaGraphEdgeData*>(frontier.edges.data());
    }
    if (out.count != nullptr) *out.count = frontier.nodes.size();
    return Error::kSuccess;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Update(cudaStream_t handle, const DependencyView& dependencies,
                   unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (flags > cudaStreamSetCaptureDependencies) return Error::kInvalidValue;
    return UpdateCaptureFrontier(stream, dependencies,
                                 flags == cudaStreamSetCaptureDependencies);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode) {
  return Begin<"cudaStreamBeginCapture">(stream, mode);
}

cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream,
                                        cudaStreamCaptureMode mode) {
  return Begin<"cudaStreamBeginCapture_ptsz", kPtsz>(stream, mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream,
                                          cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges,
                                          size_t numDependencies,
                                          cudaStreamCaptureMode mode) {
  return BeginToGraph<"cudaStreamBeginCaptureToGraph">(
      stream, graph, ToDependencies(dependencies, edges, numDependencies),
      mode);
}

cudaError_t cudaStreamBeginCaptureToGraph_ptsz(
    cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
    const cudaGraphEdgeData* edges, size_t numDependencies,
    cudaStreamCaptureMode mode) {
  return BeginToGraph<"cudaStreamBeginCaptureToGraph_ptsz", kPtsz>(
      stream, graph, ToDependencies(dependencies, edges, numDependencies),
      mode);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  return End<"cudaStreamEndCapture">(stream, pGraph);
}

cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream,
                                      cudaGraph_t* pGraph) {
  return End<"cudaStreamEndCapture_ptsz", kPtsz>(stream, pGraph);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus* pCaptureStatus) {
  return IsStreamCapturing<"cudaStreamIsCapturing">(stream, pCaptureStatus);
}

cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream,
                                       cudaStreamCaptureStatus* status) {
  return IsStreamCapturing<"cudaStreamIsCapturing_ptsz", kPtsz>(stream, status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     cudaStreamCaptureStatus* captureStatus_out,
                                     unsigned long long* id_out,
                                     cudaGraph_t* graph_out,
                                     const cudaGraphNode_t** dependencies_out,
                                     const cudaGraphEdgeData** edgeData_out,
                                     size_t* numDependencies_out) {
  return Info<"cudaStreamGetCaptureInfo">(
      stream, {captureStatus_out, id_out, graph_out, dependencies_out,
               edgeData_out, numDependencies_out});
}

cudaError_t cudaStreamGetCaptureInfo_ptsz(
    cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
    unsigned long long* id_out, cudaGraph_t* graph_out,
    const cudaGraphNode_t** dependencies_out,
    const cudaGraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  return Info<"cudaStreamGetCaptureInfo_ptsz", kPtsz>(
      stream, {captureStatus_out, id_out, graph_out, dependencies_out,
               edgeData_out, numDependencies_out});
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges,
                                                size_t numDependencies,
                                                unsigned int flags) {
  return Update<"cudaStreamUpdateCaptureDependencies">(
      stream, ToDependencies(dependencies, edges, numDependencies), flags);
}

cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(
    cudaStream_t stream, cudaGraphNode_t* dependencies,
    const cudaGraphEdgeData* edges, size_t numDependencies,
    unsigned int flags) {
  return Update<"cudaStreamUpdateCaptureDependencies_ptsz", kPtsz>(
      stream, ToDependencies(dependencies, edges, numDependencies), flags);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return Runtime<"cudaThreadExchangeStreamCaptureMode">(Needs::kDriver, [&] {
    if (mode == nullptr || !IsMode(*mode)) return Error::kInvalidValue;
    ThreadState& thread = CurrentThread();
    const CaptureMode old = thread.capture_mode;
    thread.capture_mode = static_cast<CaptureMode>(*mode);
    *mode = static_cast<cudaStreamCaptureMode>(old);
    return Error::kSuccess;
  });
}
