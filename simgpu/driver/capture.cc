// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/capture.h"

#include <span>

#include "simgpu/base/thread_state.h"
#include "simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

bool IsMode(CUstreamCaptureMode mode) {
  return mode >= CU_STREAM_CAPTURE_MODE_GLOBAL &&
         mode <= CU_STREAM_CAPTURE_MODE_RELAXED;
}

DependencyView ToDependencies(const CUgraphNode* nodes,
                              const CUgraphEdgeData* edges, size_t count) {
  return {{reinterpret_cast<GraphNode* const*>(nodes), count},
          reinterpret_cast<const EdgeData*>(edges)};
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Begin(CUstream handle, CUstreamCaptureMode mode) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (!IsMode(mode)) return Error::kInvalidValue;
    return BeginCapture(stream, static_cast<CaptureMode>(mode));
  });
}

struct BeginToGraphRequest {
  CUgraph graph;
  const DependencyView& dependencies;
  CUstreamCaptureMode mode;
};

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult BeginToGraph(CUstream handle, const BeginToGraphRequest& request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    Graph* graph = FromHandle<Graph>(request.graph);
    if (graph == nullptr || !IsMode(request.mode)) return Error::kInvalidValue;
    return BeginCapture(stream, static_cast<CaptureMode>(request.mode), graph,
                        request.dependencies);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult End(CUstream handle, CUgraph* out) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    Graph* graph = nullptr;
    const Error error = EndCapture(stream, &graph);
    if (out != nullptr) *out = ToHandle<CUgraph>(graph);
    return error;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult IsStreamCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (status == nullptr) return Error::kInvalidValue;
    CaptureInfo info;
    const Error error = GetCaptureInfo(stream, &info);
    *status = static_cast<CUstreamCaptureStatus>(info.status);
    return error;
  });
}

struct InfoOutputs {
  CUstreamCaptureStatus* status;
  cuuint64_t* id;
  CUgraph* graph = nullptr;
  const CUgraphNode** dependencies = nullptr;
  const CUgraphEdgeData** edges = nullptr;
  size_t* count = nullptr;
};

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Info(CUstream handle, const InfoOutputs& out) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (out.status == nullptr) return Error::kInvalidValue;
    CaptureInfo info;
    const Error error = GetCaptureInfo(stream, &info);
    if (error != Error::kSuccess) return error;

    *out.status = static_cast<CUstreamCaptureStatus>(info.status);
    if (info.status != CaptureStatus::kActive) return Error::kSuccess;
    if (out.id != nullptr) *out.id = info.id;
    if (out.graph != nullptr) *out.graph = ToHandle<CUgraph>(info.graph);
    const Frontier& frontier = *info.frontier;
    if (out.dependencies != nullptr) {
      if (out.edges == nullptr && !AllPlain(frontier.edges)) {
        return Error::kLossyQuery;
      }
      *out.dependencies =
          reinterpret_cast<const CUgraphNode*>(frontier.nodes.data());
    }
    if (out.edges != nullptr) {
      *out.edges =
          reinterpret_cast<const CUgraphEdgeData*>(frontier.edges.data());
    }
    if (out.count != nullptr) *out.count = frontier.nodes.size();
    return Error::kSuccess;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Update(CUstream handle, const DependencyView& dependencies,
                unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    constexpr unsigned kSet = CU_STREAM_SET_CAPTURE_DEPENDENCIES;
    if (flags > kSet) return Error::kInvalidValue;
    return UpdateCaptureFrontier(stream, dependencies, flags == kSet);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  return Begin<"cuStreamBeginCapture_v2">(hStream, mode);
}

CUresult cuStreamBeginCapture_v2_ptsz(CUstream hStream,
                                      CUstreamCaptureMode mode) {
  return Begin<"cuStreamBeginCapture_v2_ptsz", kPtsz>(hStream, mode);
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                     const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* edges,
                                     size_t numDependencies,
                                     CUstreamCaptureMode mode) {
  return BeginToGraph<"cuStreamBeginCaptureToGraph">(
      hStream,
      {hGraph, ToDependencies(dependencies, edges, numDependencies), mode});
}

CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream hStream, CUgraph hGraph,
                                          const CUgraphNode* dependencies,
                                          const CUgraphEdgeData* edges,
                                          size_t numDependencies,
                                          CUstreamCaptureMode mode) {
  return BeginToGraph<"cuStreamBeginCaptureToGraph_ptsz", kPtsz>(
      hStream,
      {hGraph, ToDependencies(dependencies, edges, numDependencies), mode});
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph) {
  return End<"cuStreamEndCapture">(hStream, phGraph);
}

CUresult cuStreamEndCapture_ptsz(CUstream hStream, CUgraph* phGraph) {
  return End<"cuStreamEndCapture_ptsz", kPtsz>(hStream, phGraph);
}

CUresult cuStreamIsCapturing(CUstream hStream,
                             CUstreamCaptureStatus* captureStatus) {
  return IsStreamCapturing<"cuStreamIsCapturing">(hStream, captureStatus);
}

CUresult cuStreamIsCapturing_ptsz(CUstream hStream,
                                  CUstreamCaptureStatus* captureStatus) {
  return IsStreamCapturing<"cuStreamIsCapturing_ptsz", kPtsz>(hStream,
                                                              captureStatus);
}

CUresult cuStreamGetCaptureInfo(CUstream hStream,
                                CUstreamCaptureStatus* captureStatus_out,
                                cuuint64_t* id_out) {
  return Info<"cuStreamGetCaptureInfo">(hStream, {captureStatus_out, id_out});
}

CUresult cuStreamGetCaptureInfo_ptsz(CUstream hStream,
                                     CUstreamCaptureStatus* captureStatus_out,
                                     cuuint64_t* id_out) {
  return Info<"cuStreamGetCaptureInfo_ptsz", kPtsz>(
      hStream, {captureStatus_out, id_out});
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream,
                                   CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   size_t* numDependencies_out) {
  return Info<"cuStreamGetCaptureInfo_v2">(
      hStream, {captureStatus_out, id_out, graph_out, dependencies_out, nullptr,
                numDependencies_out});
}

CUresult cuStreamGetCaptureInfo_v2_ptsz(
    CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
    cuuint64_t* id_out, CUgraph* graph_out,
    const CUgraphNode** dependencies_out, size_t* numDependencies_out) {
  return Info<"cuStreamGetCaptureInfo_v2_ptsz", kPtsz>(
      hStream, {captureStatus_out, id_out, graph_out, dependencies_out, nullptr,
                numDependencies_out});
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream,
                                   CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out,
                                   size_t* numDependencies_out) {
  return Info<"cuStreamGetCaptureInfo_v3">(
      hStream, {captureStatus_out, id_out, graph_out, dependencies_out,
                edgeData_out, numDependencies_out});
}

CUresult cuStreamGetCaptureInfo_v3_ptsz(
    CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
    cuuint64_t* id_out, CUgraph* graph_out,
    const CUgraphNode** dependencies_out, const CUgraphEdgeData** edgeData_out,
    size_t* numDependencies_out) {
  return Info<"cuStreamGetCaptureInfo_v3_ptsz", kPtsz>(
      hStream, {captureStatus_out, id_out, graph_out, dependencies_out,
                edgeData_out, numDependencies_out});
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream,
                                           CUgraphNode* dependencies,
                                           size_t numDependencies,
                                           unsigned int flags) {
  return Update<"cuStreamUpdateCaptureDependencies">(
      hStream, ToDependencies(dependencies, nullptr, numDependencies), flags);
}

CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream hStream,
                                                CUgraphNode* dependencies,
                                                size_t numDependencies,
                                                unsigned int flags) {
  return Update<"cuStreamUpdateCaptureDependencies_ptsz", kPtsz>(
      hStream, ToDependencies(dependencies, nullptr, numDependencies), flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream,
                                              CUgraphNode* dependencies,
                                              const CUgraphEdgeData* edges,
                                              size_t numDependencies,
                                              unsigned int flags) {
  return Update<"cuStreamUpdateCaptureDependencies_v2">(
      hStream, ToDependencies(dependencies, edges, numDependencies), flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream hStream,
                                                   CUgraphNode* dependencies,
                                                   const CUgraphEdgeData* edges,
                                                   size_t numDependencies,
                                                   unsigned int flags) {
  return Update<"cuStreamUpdateCaptureDependencies_v2_ptsz", kPtsz>(
      hStream, ToDependencies(dependencies, edges, numDependencies), flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return Driver<"cuThreadExchangeStreamCaptureMode">(DriverNeeds::kInit, [&] {
    if (mode == nullptr || !IsMode(*mode)) return Error::kInvalidValue;
    ThreadState& thread = CurrentThread();
    const CaptureMode old = thread.capture_mode;
    thread.capture_mode = static_cast<CaptureMode>(*mode);
    *mode = static_cast<CUstreamCaptureMode>(old);
    return Error::kSuccess;
  });
}
