// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: added one by one, read and changed.
#include <span>

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/node_params.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/transfer.h"

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

template <typename Params>
Error Change(GraphNode* node, const Params* params) {
  if (node == nullptr || params == nullptr) return Error::kInvalidValue;
  Work work;
  const Error error = WorkOf(*params, &work);
  if (error != Error::kSuccess) return error;
  if (work.index() != node->work.index()) return Error::kInvalidValue;
  node->work = std::move(work);
  return Error::kSuccess;
}

template <ApiName kName, typename Params>
cudaError_t SetParams(cudaGraphNode_t handle, const Params* params) {
  return Runtime<kName>(Needs::kContext,
                        [&] { return Change(ToNode(handle), params); });
}

template <ApiName kName, typename Params>
cudaError_t ExecSetParams(cudaGraphExec_t handle, cudaGraphNode_t node,
                          const Params* params) {
  return Runtime<kName>(Needs::kContext, [&] {
    GraphExec* exec = ToExec(handle);
    if (exec == nullptr) return Error::kInvalidValue;
    const std::lock_guard lock(exec->mutex);
    return Change(NodeInExec(*exec, ToNode(node)), params);
  });
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
        return MakeCopy(dst, src, Linear(count), ToDirection(kind),
                        &spec->work.emplace<CopyWork>());
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
