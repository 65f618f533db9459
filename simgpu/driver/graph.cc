// SPDX-License-Identifier: Apache-2.0
// Graphs as wholes: creation, structure, instantiation, update.
#include "simgpu/graph/graph.h"

#include <algorithm>
#include <cstdio>

#include "simgpu/driver/driver_call.h"
#include "simgpu/driver/graph_call.h"
#include "simgpu/graph/graph_dot.h"
#include "simgpu/graph/graph_exec.h"
#include "simgpu/graph/graph_query.h"
#include "simgpu/graph/graph_update.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
CUresult Instantiate(CUgraphExec* out, CUgraph handle, uint64_t flags,
                     InstantiateReport* report) {
  return OnGraph<kName>(handle, [&](Graph& graph) {
    if (out == nullptr) return Error::kInvalidValue;
    GraphExec* exec = nullptr;
    const Error error = InstantiateGraph(graph, flags, &exec, report);
    *out = ToHandle<CUgraphExec>(exec);
    return error;
  });
}

// The oldest form tells the offending node, and why as text.
template <ApiName kName>
CUresult InstantiateWithLog(CUgraphExec* out, CUgraph handle,
                            CUgraphNode* node_out, char* log,
                            size_t log_bytes) {
  InstantiateReport report;
  const CUresult result = Instantiate<kName>(out, handle, 0, &report);
  if (node_out != nullptr) *node_out = ToHandle<CUgraphNode>(report.node);
  if (log != nullptr && log_bytes > 0) {
    std::snprintf(log, log_bytes, "%s",
                  result == CUDA_SUCCESS ? "" : "invalid graph structure");
  }
  return result;
}

template <ApiName kName>
CUresult InstantiateWithParams(
    CUgraphExec* phGraphExec, CUgraph hGraph,
    CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  InstantiateReport report{InstantiateResult::kError, nullptr};
  const CUresult result = Instantiate<kName>(
      phGraphExec, hGraph,
      instantiateParams == nullptr ? 0 : instantiateParams->flags, &report);
  if (instantiateParams != nullptr) {
    instantiateParams->hErrNode_out = ToHandle<CUgraphNode>(report.node);
    instantiateParams->result_out =
        static_cast<CUgraphInstantiateResult>(report.result);
  }
  return result;
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Upload(CUgraphExec handle, CUstream stream) {
  return OnExec<kName>(handle, [&](GraphExec&) {
    return ResolveStream(stream, kNull) == nullptr ? Error::kInvalidHandle
                                                   : Error::kSuccess;
  });
}

using ChangeEdge = Error (*)(GraphNode&, GraphNode&, const EdgeData&);

struct EdgeList {
  const CUgraphNode* from;
  const CUgraphNode* to;
  const CUgraphEdgeData* data;
  size_t count;
};

template <ApiName kName>
CUresult ChangeEdges(CUgraph handle, const EdgeList& list, ChangeEdge change) {
  return OnGraph<kName>(handle, [&](Graph&) {
    const auto* data = reinterpret_cast<const EdgeData*>(list.data);
    for (size_t i = 0; i < list.count; ++i) {
      GraphNode* from = FromHandle<GraphNode>(list.from[i]);
      GraphNode* to = FromHandle<GraphNode>(list.to[i]);
      if (from == nullptr || to == nullptr) return Error::kInvalidValue;
      const Error error =
          change(*from, *to, data == nullptr ? EdgeData{} : data[i]);
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

Error List(const std::vector<GraphNode*>& nodes, CUgraphNode* out,
           size_t* count) {
  return ListNodes(nodes, reinterpret_cast<GraphNode**>(out), count);
}

template <ApiName kName>
CUresult Edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to,
               CUgraphEdgeData* data, size_t* count) {
  return OnGraph<kName>(handle, [&](Graph& graph) {
    return ListEdges(graph, reinterpret_cast<GraphNode**>(from),
                     reinterpret_cast<GraphNode**>(to),
                     reinterpret_cast<EdgeData*>(data), count);
  });
}

using ListNeighbours = Error (*)(const GraphNode&, GraphNode**, EdgeData*,
                                 size_t*);

template <ApiName kName>
CUresult Neighbours(CUgraphNode handle, ListNeighbours list, CUgraphNode* out,
                    CUgraphEdgeData* data, size_t* count) {
  return OnNode<kName>(handle, [&](GraphNode& node) {
    return list(node, reinterpret_cast<GraphNode**>(out),
                reinterpret_cast<EdgeData*>(data), count);
  });
}

template <ApiName kName>
CUresult Update(CUgraphExec handle, CUgraph graph_handle,
                CUgraphExecUpdateResultInfo* info) {
  return OnExec<kName>(handle, [&](GraphExec& exec) {
    const Graph* graph = FromHandle<Graph>(graph_handle);
    if (graph == nullptr) return Error::kInvalidValue;
    const GraphUpdateReport report = UpdateGraphExec(exec, *graph);
    if (info != nullptr) {
      info->result = static_cast<CUgraphExecUpdateResult>(report.result);
      info->errorNode = ToHandle<CUgraphNode>(report.node);
      info->errorFromNode = ToHandle<CUgraphNode>(report.from);
    }
    return report.result == GraphUpdateResult::kSuccess
               ? Error::kSuccess
               : Error::kGraphExecUpdateFailure;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuGraphCreate(CUgraph* phGraph, unsigned int flags) {
  return Driver<"cuGraphCreate">(DriverNeeds::kInit, [&] {
    if (phGraph == nullptr || flags != 0) return Error::kInvalidValue;
    *phGraph = ToHandle<CUgraph>(NewGraph());
    return Error::kSuccess;
  });
}

CUresult cuGraphDestroy(CUgraph hGraph) {
  return OnGraph<"cuGraphDestroy">(hGraph, [](Graph& graph) {
    if (graph.parent != nullptr) return Error::kInvalidValue;
    DestroyGraph(&graph);
    return Error::kSuccess;
  });
}

CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  return OnGraph<"cuGraphClone">(originalGraph, [&](Graph& graph) {
    if (phGraphClone == nullptr) return Error::kInvalidValue;
    if (HasMemoryNodes(graph)) return Error::kNotSupported;
    *phGraphClone = ToHandle<CUgraph>(CloneGraph(graph, nullptr));
    return Error::kSuccess;
  });
}

CUresult cuGraphInstantiate(CUgraphExec* phGraphExec, CUgraph hGraph,
                            CUgraphNode* phErrorNode, char* logBuffer,
                            size_t bufferSize) {
  return InstantiateWithLog<"cuGraphInstantiate">(
      phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cuGraphInstantiate_v2(CUgraphExec* phGraphExec, CUgraph hGraph,
                               CUgraphNode* phErrorNode, char* logBuffer,
                               size_t bufferSize) {
  return InstantiateWithLog<"cuGraphInstantiate_v2">(
      phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph,
                                     unsigned long long flags) {
  InstantiateReport report;
  return Instantiate<"cuGraphInstantiateWithFlags">(phGraphExec, hGraph, flags,
                                                    &report);
}

CUresult cuGraphInstantiateWithParams(
    CUgraphExec* phGraphExec, CUgraph hGraph,
    CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  return InstantiateWithParams<"cuGraphInstantiateWithParams">(
      phGraphExec, hGraph, instantiateParams);
}

CUresult cuGraphInstantiateWithParams_ptsz(
    CUgraphExec* phGraphExec, CUgraph hGraph,
    CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  return InstantiateWithParams<"cuGraphInstantiateWithParams_ptsz">(
      phGraphExec, hGraph, instantiateParams);
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  return OnExec<"cuGraphExecDestroy">(
      hGraphExec, [](GraphExec& exec) { return DestroyGraphExec(exec); });
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  return OnExec<"cuGraphExecGetFlags">(hGraphExec, [&](GraphExec& exec) {
    if (flags == nullptr) return Error::kInvalidValue;
    *flags = exec.flags;
    return Error::kSuccess;
  });
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  return Upload<"cuGraphUpload">(hGraphExec, hStream);
}

CUresult cuGraphUpload_ptsz(CUgraphExec hGraphExec, CUstream hStream) {
  return Upload<"cuGraphUpload_ptsz", kPtsz>(hGraphExec, hStream);
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph,
                           CUgraphNode* hErrorNode_out,
                           CUgraphExecUpdateResult* updateResult_out) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult result =
      Update<"cuGraphExecUpdate">(hGraphExec, hGraph, &info);
  if (hErrorNode_out != nullptr) *hErrorNode_out = info.errorNode;
  if (updateResult_out != nullptr) *updateResult_out = info.result;
  return result;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo* resultInfo) {
  return Update<"cuGraphExecUpdate_v2">(hGraphExec, hGraph, resultInfo);
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes) {
  return OnGraph<"cuGraphGetNodes">(
      hGraph, [&](Graph& graph) { return List(graph.nodes, nodes, numNodes); });
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes,
                             size_t* numRootNodes) {
  return OnGraph<"cuGraphGetRootNodes">(hGraph, [&](Graph& graph) {
    return List(RootsOf(graph), rootNodes, numRootNodes);
  });
}

CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to,
                         size_t* numEdges) {
  return Edges<"cuGraphGetEdges">(hGraph, from, to, nullptr, numEdges);
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* edgeData, size_t* numEdges) {
  return Edges<"cuGraphGetEdges_v2">(hGraph, from, to, edgeData, numEdges);
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode* from,
                                const CUgraphNode* to, size_t numDependencies) {
  return ChangeEdges<"cuGraphAddDependencies">(
      hGraph, {from, to, nullptr, numDependencies}, AddDependency);
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from,
                                   const CUgraphNode* to,
                                   const CUgraphEdgeData* edgeData,
                                   size_t numDependencies) {
  return ChangeEdges<"cuGraphAddDependencies_v2">(
      hGraph, {from, to, edgeData, numDependencies}, AddDependency);
}

CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from,
                                   const CUgraphNode* to,
                                   size_t numDependencies) {
  return ChangeEdges<"cuGraphRemoveDependencies">(
      hGraph, {from, to, nullptr, numDependencies}, RemoveDependency);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from,
                                      const CUgraphNode* to,
                                      const CUgraphEdgeData* edgeData,
                                      size_t numDependencies) {
  return ChangeEdges<"cuGraphRemoveDependencies_v2">(
      hGraph, {from, to, edgeData, numDependencies}, RemoveDependency);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode,
                                    CUgraphNode* dependencies,
                                    size_t* numDependencies) {
  return Neighbours<"cuGraphNodeGetDependencies">(
      hNode, ListDependencies, dependencies, nullptr, numDependencies);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode,
                                       CUgraphNode* dependencies,
                                       CUgraphEdgeData* edgeData,
                                       size_t* numDependencies) {
  return Neighbours<"cuGraphNodeGetDependencies_v2">(
      hNode, ListDependencies, dependencies, edgeData, numDependencies);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode,
                                      CUgraphNode* dependentNodes,
                                      size_t* numDependentNodes) {
  return Neighbours<"cuGraphNodeGetDependentNodes">(
      hNode, ListDependents, dependentNodes, nullptr, numDependentNodes);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode,
                                         CUgraphNode* dependentNodes,
                                         CUgraphEdgeData* edgeData,
                                         size_t* numDependentNodes) {
  return Neighbours<"cuGraphNodeGetDependentNodes_v2">(
      hNode, ListDependents, dependentNodes, edgeData, numDependentNodes);
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  return OnNode<"cuGraphDestroyNode">(
      hNode, [](GraphNode& node) { return DestroyNode(node); });
}

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int) {
  return OnGraph<"cuGraphDebugDotPrint">(hGraph, [&](Graph& graph) {
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return Error::kInvalidValue;
    const std::string text = GraphAsDot(graph);
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    return Error::kSuccess;
  });
}
