// SPDX-License-Identifier: Apache-2.0
// Graphs as wholes: creation, structure, instantiation, update.
#include "simgpu/graph/graph.h"

#include <algorithm>
#include <cstdio>

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/graph_dot.h"
#include "simgpu/graph/graph_exec.h"
#include "simgpu/graph/graph_query.h"
#include "simgpu/graph/graph_update.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Body>
cudaError_t OnGraph(cudaGraph_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    Graph* graph = ToGraph(handle);
    return graph == nullptr ? Error::kInvalidValue : body(*graph);
  });
}

template <ApiName kName, typename Body>
cudaError_t OnExec(cudaGraphExec_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    GraphExec* exec = ToExec(handle);
    return exec == nullptr ? Error::kInvalidValue : body(*exec);
  });
}

Error List(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* out,
           size_t* count) {
  return ListNodes(nodes, reinterpret_cast<GraphNode**>(out), count);
}

template <ApiName kName>
cudaError_t Instantiate(cudaGraphExec_t* exec_out, cudaGraph_t handle,
                        uint64_t flags, InstantiateReport* report) {
  return OnGraph<kName>(handle, [&](Graph& graph) {
    if (exec_out == nullptr) return Error::kInvalidValue;
    GraphExec* exec = nullptr;
    const Error error = InstantiateGraph(graph, flags, &exec, report);
    *exec_out = ToHandle<cudaGraphExec_t>(exec);
    return error;
  });
}

template <ApiName kName>
cudaError_t InstantiateWithParams(
    cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
    cudaGraphInstantiateParams* instantiateParams) {
  InstantiateReport report{InstantiateResult::kError, nullptr};
  const cudaError_t error = Instantiate<kName>(
      pGraphExec, graph,
      instantiateParams == nullptr ? 0 : instantiateParams->flags, &report);
  if (instantiateParams != nullptr) {
    instantiateParams->errNode_out = ToHandle<cudaGraphNode_t>(report.node);
    instantiateParams->result_out =
        static_cast<cudaGraphInstantiateResult>(report.result);
  }
  return error;
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Upload(cudaGraphExec_t handle, cudaStream_t stream) {
  return OnExec<kName>(handle, [&](GraphExec&) {
    return ResolveStream(stream, kNull) == nullptr ? Error::kInvalidHandle
                                                   : Error::kSuccess;
  });
}

using ChangeEdge = Error (*)(GraphNode&, GraphNode&, const EdgeData&);

struct EdgeList {
  const cudaGraphNode_t* from;
  const cudaGraphNode_t* to;
  const cudaGraphEdgeData* data;
  size_t count;
};

template <ApiName kName>
cudaError_t ChangeEdges(cudaGraph_t handle, const EdgeList& list,
                        ChangeEdge change) {
  return OnGraph<kName>(handle, [&](Graph&) {
    const auto* data = reinterpret_cast<const EdgeData*>(list.data);
    for (size_t i = 0; i < list.count; ++i) {
      GraphNode* from = ToNode(list.from[i]);
      GraphNode* to = ToNode(list.to[i]);
      if (from == nullptr || to == nullptr) return Error::kInvalidValue;
      const Error error =
          change(*from, *to, data == nullptr ? EdgeData{} : data[i]);
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

using ListNeighbours = Error (*)(const GraphNode&, GraphNode**, EdgeData*,
                                 size_t*);

template <ApiName kName>
cudaError_t Neighbours(cudaGraphNode_t handle, ListNeighbours list,
                       cudaGraphNode_t* out, cudaGraphEdgeData* data,
                       size_t* count) {
  return Runtime<kName>(Needs::kContext, [&] {
    const GraphNode* node = ToNode(handle);
    if (node == nullptr) return Error::kInvalidValue;
    return list(*node, reinterpret_cast<GraphNode**>(out),
                reinterpret_cast<EdgeData*>(data), count);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags) {
  return Runtime<"cudaGraphCreate">(Needs::kContext, [&] {
    if (pGraph == nullptr || flags != 0) return Error::kInvalidValue;
    *pGraph = ToHandle<cudaGraph_t>(NewGraph());
    return Error::kSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return OnGraph<"cudaGraphDestroy">(graph, [](Graph& g) {
    if (g.parent != nullptr) return Error::kInvalidValue;
    DestroyGraph(&g);
    return Error::kSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* pGraphClone,
                           cudaGraph_t originalGraph) {
  return OnGraph<"cudaGraphClone">(originalGraph, [&](Graph& graph) {
    if (pGraphClone == nullptr) return Error::kInvalidValue;
    if (HasMemoryNodes(graph)) return Error::kNotSupported;
    *pGraphClone = ToHandle<cudaGraph_t>(CloneGraph(graph, nullptr));
    return Error::kSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags) {
  InstantiateReport report;
  return Instantiate<"cudaGraphInstantiate">(pGraphExec, graph, flags, &report);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec,
                                          cudaGraph_t graph,
                                          unsigned long long flags) {
  InstantiateReport report;
  return Instantiate<"cudaGraphInstantiateWithFlags">(pGraphExec, graph, flags,
                                                      &report);
}

cudaError_t cudaGraphInstantiateWithParams(
    cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
    cudaGraphInstantiateParams* instantiateParams) {
  return InstantiateWithParams<"cudaGraphInstantiateWithParams">(
      pGraphExec, graph, instantiateParams);
}

cudaError_t cudaGraphInstantiateWithParams_ptsz(
    cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
    cudaGraphInstantiateParams* instantiateParams) {
  return InstantiateWithParams<"cudaGraphInstantiateWithParams_ptsz">(
      pGraphExec, graph, instantiateParams);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  return OnExec<"cudaGraphExecDestroy">(
      graphExec, [](GraphExec& exec) { return DestroyGraphExec(exec); });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec,
                                  unsigned long long* flags) {
  return OnExec<"cudaGraphExecGetFlags">(graphExec, [&](GraphExec& exec) {
    if (flags == nullptr) return Error::kInvalidValue;
    *flags = exec.flags;
    return Error::kSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return Upload<"cudaGraphUpload">(graphExec, stream);
}

cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t graphExec,
                                 cudaStream_t stream) {
  return Upload<"cudaGraphUpload_ptsz", kPtsz>(graphExec, stream);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo* resultInfo) {
  return OnExec<"cudaGraphExecUpdate">(hGraphExec, [&](GraphExec& exec) {
    const Graph* graph = ToGraph(hGraph);
    if (graph == nullptr) return Error::kInvalidValue;
    const GraphUpdateReport report = UpdateGraphExec(exec, *graph);
    if (resultInfo != nullptr) {
      resultInfo->result =
          static_cast<cudaGraphExecUpdateResult>(report.result);
      resultInfo->errorNode = ToHandle<cudaGraphNode_t>(report.node);
      resultInfo->errorFromNode = ToHandle<cudaGraphNode_t>(report.from);
    }
    return report.result == GraphUpdateResult::kSuccess
               ? Error::kSuccess
               : Error::kGraphExecUpdateFailure;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                              size_t* numNodes) {
  return OnGraph<"cudaGraphGetNodes">(
      graph, [&](Graph& g) { return List(g.nodes, nodes, numNodes); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
                                  cudaGraphNode_t* pRootNodes,
                                  size_t* pNumRootNodes) {
  return OnGraph<"cudaGraphGetRootNodes">(graph, [&](Graph& g) {
    return List(RootsOf(g), pRootNodes, pNumRootNodes);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                              cudaGraphNode_t* to, cudaGraphEdgeData* edgeData,
                              size_t* numEdges) {
  return OnGraph<"cudaGraphGetEdges">(graph, [&](Graph& g) {
    return ListEdges(g, reinterpret_cast<GraphNode**>(from),
                     reinterpret_cast<GraphNode**>(to),
                     reinterpret_cast<EdgeData*>(edgeData), numEdges);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* edgeData,
                                     size_t numDependencies) {
  return ChangeEdges<"cudaGraphAddDependencies">(
      graph, {from, to, edgeData, numDependencies}, AddDependency);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                        const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData* edgeData,
                                        size_t numDependencies) {
  return ChangeEdges<"cudaGraphRemoveDependencies">(
      graph, {from, to, edgeData, numDependencies}, RemoveDependency);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t* pDependencies,
                                         cudaGraphEdgeData* edgeData,
                                         size_t* pNumDependencies) {
  return Neighbours<"cudaGraphNodeGetDependencies">(
      node, ListDependencies, pDependencies, edgeData, pNumDependencies);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                           cudaGraphNode_t* pDependentNodes,
                                           cudaGraphEdgeData* edgeData,
                                           size_t* pNumDependentNodes) {
  return Neighbours<"cudaGraphNodeGetDependentNodes">(
      node, ListDependents, pDependentNodes, edgeData, pNumDependentNodes);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                 cudaGraphNodeType* pType) {
  return Runtime<"cudaGraphNodeGetType">(Needs::kContext, [&] {
    const GraphNode* found = ToNode(node);
    if (found == nullptr || pType == nullptr) return Error::kInvalidValue;
    *pType = static_cast<cudaGraphNodeType>(found->type);
    return Error::kSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return Runtime<"cudaGraphDestroyNode">(Needs::kContext, [&] {
    GraphNode* found = ToNode(node);
    return found == nullptr ? Error::kInvalidValue : DestroyNode(*found);
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path,
                                   unsigned int) {
  return OnGraph<"cudaGraphDebugDotPrint">(graph, [&](Graph& g) {
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return Error::kInvalidValue;
    const std::string text = GraphAsDot(g);
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    return Error::kSuccess;
  });
}
