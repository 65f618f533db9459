// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: added one by one, read and changed.
#include <span>

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/device_variables.h"
#include "simgpu/cudart/node_params.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/graph_update.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

struct Dependencies {
  const cudaGraphNode_t* nodes;
  size_t count;
  const cudaGraphEdgeData* edges = nullptr;
};

Error Add(Graph& graph, const Dependencies& after, NodeSpec spec,
          cudaGraphNode_t* out) {
  if (out == nullptr || (after.nodes == nullptr && after.count != 0)) {
    return Error::kInvalidValue;
  }
  GraphNode* node = nullptr;
  const DependencyView dependencies{
      {reinterpret_cast<GraphNode* const*>(after.nodes), after.count},
      reinterpret_cast<const EdgeData*>(after.edges)};
  const Error error = AddNode(graph, std::move(spec), dependencies, &node);
  if (error == Error::kSuccess) *out = ToHandle<cudaGraphNode_t>(node);
  return error;
}

template <ApiName kName, typename MakeSpec>
cudaError_t AddTo(cudaGraph_t handle, const Dependencies& after,
                  cudaGraphNode_t* out, MakeSpec make_spec) {
  return Runtime<kName>(Needs::kContext, [&] {
    Graph* graph = ToGraph(handle);
    NodeSpec spec;
    if (graph == nullptr) return Error::kInvalidValue;
    const Error error = make_spec(&spec);
    return error == Error::kSuccess ? Add(*graph, after, std::move(spec), out)
                                    : error;
  });
}

template <ApiName kName, typename Params>
cudaError_t AddWork(cudaGraph_t handle, const Dependencies& after,
                    GraphNodeType type, const Params* params,
                    cudaGraphNode_t* out) {
  return AddTo<kName>(handle, after, out, [&](NodeSpec* spec) {
    if (params == nullptr) return Error::kInvalidValue;
    spec->type = type;
    return WorkOf(*params, &spec->work);
  });
}

template <ApiName kName, typename EventWork>
cudaError_t AddEvent(cudaGraph_t handle, const Dependencies& after,
                     GraphNodeType type, cudaEvent_t event_handle,
                     cudaGraphNode_t* out) {
  return AddTo<kName>(handle, after, out, [&](NodeSpec* spec) {
    Event* event = ToEvent(event_handle);
    if (event == nullptr) return Error::kInvalidHandle;
    spec->type = type;
    spec->work = EventWork{event};
    return Error::kSuccess;
  });
}

template <ApiName kName, typename Params>
cudaError_t GetParams(cudaGraphNode_t handle, Params* params) {
  return Runtime<kName>(Needs::kContext, [&] {
    const GraphNode* node = ToNode(handle);
    return node == nullptr ? Error::kInvalidValue : ParamsOf(*node, params);
  });
}

// Functions that give a node what `make` fills in.
template <ApiName kName, typename Make>
cudaError_t Set(cudaGraphNode_t handle, Make make) {
  return Runtime<kName>(Needs::kContext, [&] {
    GraphNode* node = ToNode(handle);
    if (node == nullptr) return Error::kInvalidValue;
    Work work;
    const Error error = make(&work);
    return error == Error::kSuccess ? ChangeNode(*node, std::move(work))
                                    : error;
  });
}

template <ApiName kName, typename Make>
cudaError_t SetInExec(cudaGraphExec_t handle, cudaGraphNode_t node, Make make) {
  return Runtime<kName>(Needs::kContext, [&] {
    GraphExec* exec = ToExec(handle);
    if (exec == nullptr) return Error::kInvalidValue;
    Work work;
    const Error error = make(&work);
    if (error != Error::kSuccess) return error;
    return ChangeNodeInExec(*exec, ToNode(node), std::move(work));
  });
}

template <typename Params>
auto ParamsMaker(const Params* params) {
  return [=](Work* work) {
    return params == nullptr ? Error::kInvalidValue : WorkOf(*params, work);
  };
}

template <ApiName kName, typename Params>
cudaError_t SetParams(cudaGraphNode_t handle, const Params* params) {
  return Set<kName>(handle, ParamsMaker(params));
}

template <ApiName kName, typename Params>
cudaError_t ExecSetParams(cudaGraphExec_t handle, cudaGraphNode_t node,
                          const Params* params) {
  return SetInExec<kName>(handle, node, ParamsMaker(params));
}

// Plain copies, of which an end may be a variable.
struct PlainCopy {
  void* destination;
  const void* source;
  size_t bytes;
  cudaMemcpyKind kind;
};

Error Make(const PlainCopy& copy, Work* work) {
  return MakeCopy(copy.destination, copy.source, Linear(copy.bytes),
                  ToDirection(copy.kind), &work->emplace<CopyWork>());
}

struct SymbolCopy {
  const void* symbol;
  size_t offset;
  const void* other;
  size_t bytes;
  cudaMemcpyKind kind;
  bool to_symbol;
};

Error Make(const SymbolCopy& copy, Work* work) {
  VariablePlace place{};
  const Error error = FindVariable(ActiveDevice(), copy.symbol, &place);
  if (error != Error::kSuccess) return error;
  if (copy.offset > place.bytes || copy.bytes > place.bytes - copy.offset) {
    return Error::kInvalidValue;
  }
  void* at = static_cast<std::byte*>(place.address) + copy.offset;
  void* other = const_cast<void*>(copy.other);
  return copy.to_symbol
             ? Make(PlainCopy{at, other, copy.bytes, copy.kind}, work)
             : Make(PlainCopy{other, at, copy.bytes, copy.kind}, work);
}

template <typename Copy>
auto CopyMaker(const Copy& copy) {
  return [=](Work* work) { return Make(copy, work); };
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies,
                                   const cudaKernelNodeParams* pNodeParams) {
  return AddWork<"cudaGraphAddKernelNode">(
      graph, {pDependencies, numDependencies}, GraphNodeType::kKernel,
      pNodeParams, pGraphNode);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies,
                                   const cudaMemcpy3DParms* pCopyParams) {
  return AddWork<"cudaGraphAddMemcpyNode">(
      graph, {pDependencies, numDependencies}, GraphNodeType::kCopy,
      pCopyParams, pGraphNode);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode,
                                     cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies,
                                     size_t numDependencies, void* dst,
                                     const void* src, size_t count,
                                     cudaMemcpyKind kind) {
  return AddTo<"cudaGraphAddMemcpyNode1D">(
      graph, {pDependencies, numDependencies}, pGraphNode, [&](NodeSpec* spec) {
        spec->type = GraphNodeType::kCopy;
        return Make(PlainCopy{dst, src, count, kind}, &spec->work);
      });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies,
                                   const cudaMemsetParams* pMemsetParams) {
  return AddWork<"cudaGraphAddMemsetNode">(
      graph, {pDependencies, numDependencies}, GraphNodeType::kMemset,
      pMemsetParams, pGraphNode);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t* pDependencies,
                                 size_t numDependencies,
                                 const cudaHostNodeParams* pNodeParams) {
  return AddWork<"cudaGraphAddHostNode">(
      graph, {pDependencies, numDependencies}, GraphNodeType::kHost,
      pNodeParams, pGraphNode);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode,
                                       cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies,
                                       size_t numDependencies,
                                       cudaGraph_t childGraph) {
  return AddTo<"cudaGraphAddChildGraphNode">(
      graph, {pDependencies, numDependencies}, pGraphNode, [&](NodeSpec* spec) {
        spec->type = GraphNodeType::kChildGraph;
        spec->child = ToGraph(childGraph);
        return spec->child == nullptr ? Error::kInvalidValue : Error::kSuccess;
      });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode,
                                  cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies,
                                  size_t numDependencies) {
  return AddTo<"cudaGraphAddEmptyNode">(
      graph, {pDependencies, numDependencies}, pGraphNode,
      [](NodeSpec*) { return Error::kSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode,
                                        cudaGraph_t graph,
                                        const cudaGraphNode_t* pDependencies,
                                        size_t numDependencies,
                                        cudaEvent_t event) {
  return AddEvent<"cudaGraphAddEventRecordNode", EventRecordWork>(
      graph, {pDependencies, numDependencies}, GraphNodeType::kEventRecord,
      event, pGraphNode);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode,
                                      cudaGraph_t graph,
                                      const cudaGraphNode_t* pDependencies,
                                      size_t numDependencies,
                                      cudaEvent_t event) {
  return AddEvent<"cudaGraphAddEventWaitNode", EventWaitWork>(
      graph, {pDependencies, numDependencies}, GraphNodeType::kEventWait, event,
      pGraphNode);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                            cudaGraph_t* pGraph) {
  return Runtime<"cudaGraphChildGraphNodeGetGraph">(Needs::kContext, [&] {
    const GraphNode* found = ToNode(node);
    if (found == nullptr || found->child == nullptr || pGraph == nullptr) {
      return Error::kInvalidValue;
    }
    *pGraph = ToHandle<cudaGraph_t>(found->child);
    return Error::kSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         cudaKernelNodeParams* pNodeParams) {
  return GetParams<"cudaGraphKernelNodeGetParams">(node, pNodeParams);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         cudaMemcpy3DParms* pNodeParams) {
  return GetParams<"cudaGraphMemcpyNodeGetParams">(node, pNodeParams);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         cudaMemsetParams* pNodeParams) {
  return GetParams<"cudaGraphMemsetNodeGetParams">(node, pNodeParams);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       cudaHostNodeParams* pNodeParams) {
  return GetParams<"cudaGraphHostNodeGetParams">(node, pNodeParams);
}

cudaError_t cudaGraphKernelNodeSetParams(
    cudaGraphNode_t node, const cudaKernelNodeParams* pNodeParams) {
  return SetParams<"cudaGraphKernelNodeSetParams">(node, pNodeParams);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* pNodeParams) {
  return SetParams<"cudaGraphMemcpyNodeSetParams">(node, pNodeParams);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemsetParams* pNodeParams) {
  return SetParams<"cudaGraphMemsetNodeSetParams">(node, pNodeParams);
}

cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
    const cudaKernelNodeParams* pNodeParams) {
  return ExecSetParams<"cudaGraphExecKernelNodeSetParams">(hGraphExec, node,
                                                           pNodeParams);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
    const cudaMemsetParams* pNodeParams) {
  return ExecSetParams<"cudaGraphExecMemsetNodeSetParams">(hGraphExec, node,
                                                           pNodeParams);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const cudaHostNodeParams* pNodeParams) {
  return SetParams<"cudaGraphHostNodeSetParams">(node, pNodeParams);
}

cudaError_t cudaGraphExecHostNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
    const cudaHostNodeParams* pNodeParams) {
  return ExecSetParams<"cudaGraphExecHostNodeSetParams">(hGraphExec, node,
                                                         pNodeParams);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
                                                 cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
  return Runtime<"cudaGraphExecChildGraphNodeSetParams">(Needs::kContext, [&] {
    GraphExec* exec = ToExec(hGraphExec);
    const Graph* child = ToGraph(childGraph);
    if (exec == nullptr || child == nullptr) return Error::kInvalidValue;
    GraphNode* clone = NodeInExec(*exec, ToNode(node));
    if (clone == nullptr || clone->child == nullptr) {
      return Error::kInvalidValue;
    }
    return UpdateChildGraph(*exec, *clone, *child);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst,
                                           const void* src, size_t count,
                                           cudaMemcpyKind kind) {
  return Set<"cudaGraphMemcpyNodeSetParams1D">(
      node, CopyMaker(PlainCopy{dst, src, count, kind}));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
    const cudaMemcpy3DParms* pNodeParams) {
  return ExecSetParams<"cudaGraphExecMemcpyNodeSetParams">(hGraphExec, node,
                                                           pNodeParams);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
                                               cudaGraphNode_t node, void* dst,
                                               const void* src, size_t count,
                                               cudaMemcpyKind kind) {
  return SetInExec<"cudaGraphExecMemcpyNodeSetParams1D">(
      hGraphExec, node, CopyMaker(PlainCopy{dst, src, count, kind}));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode,
                                           cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies,
                                           size_t numDependencies,
                                           const void* symbol, const void* src,
                                           size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
  return AddTo<"cudaGraphAddMemcpyNodeToSymbol">(
      graph, {pDependencies, numDependencies}, pGraphNode, [&](NodeSpec* spec) {
        spec->type = GraphNodeType::kCopy;
        return CopyMaker(SymbolCopy{symbol, offset, src, count, kind, true})(
            &spec->work);
      });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                 const void* symbol,
                                                 const void* src, size_t count,
                                                 size_t offset,
                                                 cudaMemcpyKind kind) {
  return Set<"cudaGraphMemcpyNodeSetParamsToSymbol">(
      node, CopyMaker(SymbolCopy{symbol, offset, src, count, kind, true}));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const void* symbol,
    const void* src, size_t count, size_t offset, cudaMemcpyKind kind) {
  return SetInExec<"cudaGraphExecMemcpyNodeSetParamsToSymbol">(
      hGraphExec, node,
      CopyMaker(SymbolCopy{symbol, offset, src, count, kind, true}));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
    const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return AddTo<"cudaGraphAddMemcpyNodeFromSymbol">(
      graph, {pDependencies, numDependencies}, pGraphNode, [&](NodeSpec* spec) {
        spec->type = GraphNodeType::kCopy;
        return CopyMaker(SymbolCopy{symbol, offset, dst, count, kind, false})(
            &spec->work);
      });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
                                                   void* dst,
                                                   const void* symbol,
                                                   size_t count, size_t offset,
                                                   cudaMemcpyKind kind) {
  return Set<"cudaGraphMemcpyNodeSetParamsFromSymbol">(
      node, CopyMaker(SymbolCopy{symbol, offset, dst, count, kind, false}));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
    const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return SetInExec<"cudaGraphExecMemcpyNodeSetParamsFromSymbol">(
      hGraphExec, node,
      CopyMaker(SymbolCopy{symbol, offset, dst, count, kind, false}));
}
