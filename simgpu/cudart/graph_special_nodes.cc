// SPDX-License-Identifier: Apache-2.0
// Event, semaphore and memory nodes of graphs.
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/node_change.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
cudaError_t GetEvent(cudaGraphNode_t node, GraphNodeType type,
                     cudaEvent_t* out) {
  return Runtime<kName>(Needs::kContext,
                        [&] { return GetEventOf(node, type, out); });
}

template <ApiName kName, typename Make>
cudaError_t Set(cudaGraphNode_t node, Make make) {
  return Runtime<kName>(Needs::kContext, [&] { return ChangeTo(node, make); });
}

template <ApiName kName, typename Make>
cudaError_t SetInExec(cudaGraphExec_t exec, cudaGraphNode_t node, Make make) {
  return Runtime<kName>(Needs::kContext,
                        [&] { return ChangeInExecTo(exec, node, make); });
}

using Place = NodePlace<cudaGraphNode_t, cudaGraph_t>;

template <ApiName kName, typename Make>
cudaError_t Add(const Place& place, Make make) {
  return Runtime<kName>(Needs::kContext, [&] { return AddMade(place, make); });
}

template <ApiName kName, typename Params>
cudaError_t GetSemaphores(cudaGraphNode_t node, bool signal, Params* params) {
  return Runtime<kName>(Needs::kContext,
                        [&] { return GetSemaphoresOf(node, signal, params); });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                             cudaEvent_t* event_out) {
  return GetEvent<"cudaGraphEventRecordNodeGetEvent">(
      node, GraphNodeType::kEventRecord, event_out);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
                                             cudaEvent_t event) {
  return Set<"cudaGraphEventRecordNodeSetEvent">(
      node, EventMaker(GraphNodeType::kEventRecord, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                 cudaGraphNode_t hNode,
                                                 cudaEvent_t event) {
  return SetInExec<"cudaGraphExecEventRecordNodeSetEvent">(
      hGraphExec, hNode, EventMaker(GraphNodeType::kEventRecord, event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
                                           cudaEvent_t* event_out) {
  return GetEvent<"cudaGraphEventWaitNodeGetEvent">(
      node, GraphNodeType::kEventWait, event_out);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node,
                                           cudaEvent_t event) {
  return Set<"cudaGraphEventWaitNodeSetEvent">(
      node, EventMaker(GraphNodeType::kEventWait, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
                                               cudaGraphNode_t hNode,
                                               cudaEvent_t event) {
  return SetInExec<"cudaGraphExecEventWaitNodeSetEvent">(
      hGraphExec, hNode, EventMaker(GraphNodeType::kEventWait, event));
}

cudaError_t cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t* pDependencies, size_t numDependencies,
    const cudaExternalSemaphoreSignalNodeParams* nodeParams) {
  return Add<"cudaGraphAddExternalSemaphoresSignalNode">(
      {pGraphNode, graph, pDependencies, numDependencies},
      [&](const Graph&, Work* work) {
        return SemaphoreMaker(nodeParams, true)(work);
      });
}

cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t hNode, cudaExternalSemaphoreSignalNodeParams* params_out) {
  return GetSemaphores<"cudaGraphExternalSemaphoresSignalNodeGetParams">(
      hNode, true, params_out);
}

cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t hNode,
    const cudaExternalSemaphoreSignalNodeParams* nodeParams) {
  return Set<"cudaGraphExternalSemaphoresSignalNodeSetParams">(
      hNode, SemaphoreMaker(nodeParams, true));
}

cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const cudaExternalSemaphoreSignalNodeParams* nodeParams) {
  return SetInExec<"cudaGraphExecExternalSemaphoresSignalNodeSetParams">(
      hGraphExec, hNode, SemaphoreMaker(nodeParams, true));
}

cudaError_t cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t* pDependencies, size_t numDependencies,
    const cudaExternalSemaphoreWaitNodeParams* nodeParams) {
  return Add<"cudaGraphAddExternalSemaphoresWaitNode">(
      {pGraphNode, graph, pDependencies, numDependencies},
      [&](const Graph&, Work* work) {
        return SemaphoreMaker(nodeParams, false)(work);
      });
}

cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t hNode, cudaExternalSemaphoreWaitNodeParams* params_out) {
  return GetSemaphores<"cudaGraphExternalSemaphoresWaitNodeGetParams">(
      hNode, false, params_out);
}

cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t hNode,
    const cudaExternalSemaphoreWaitNodeParams* nodeParams) {
  return Set<"cudaGraphExternalSemaphoresWaitNodeSetParams">(
      hNode, SemaphoreMaker(nodeParams, false));
}

cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const cudaExternalSemaphoreWaitNodeParams* nodeParams) {
  return SetInExec<"cudaGraphExecExternalSemaphoresWaitNodeSetParams">(
      hGraphExec, hNode, SemaphoreMaker(nodeParams, false));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* pGraphNode,
                                     cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies,
                                     size_t numDependencies,
                                     cudaMemAllocNodeParams* nodeParams) {
  return Add<"cudaGraphAddMemAllocNode">(
      {pGraphNode, graph, pDependencies, numDependencies},
      [&](const Graph&, Work* work) {
        if (nodeParams == nullptr) return Error::kInvalidValue;
        const Error error = AllocWorkOf(*nodeParams, work);
        if (error != Error::kSuccess) return error;
        const auto& alloc = *std::get_if<MemoryAllocWork>(work);
        nodeParams->dptr =
            (decltype(nodeParams->dptr))alloc.allocation->address;
        return error;
      });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* params_out) {
  return Runtime<"cudaGraphMemAllocNodeGetParams">(Needs::kContext, [&] {
    const GraphNode* found = FromHandle<GraphNode>(node);
    return found == nullptr ? Error::kInvalidValue
                            : AllocParamsOf(*found, params_out);
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* pGraphNode,
                                    cudaGraph_t graph,
                                    const cudaGraphNode_t* pDependencies,
                                    size_t numDependencies, void* dptr) {
  return Add<"cudaGraphAddMemFreeNode">(
      {pGraphNode, graph, pDependencies, numDependencies},
      [&](const Graph& g, Work* work) {
        return MakeFreeWork(g, (void*)dptr, work);
      });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node,
                                          void* dptr_out) {
  return Runtime<"cudaGraphMemFreeNodeGetParams">(Needs::kContext, [&] {
    const GraphNode* found = FromHandle<GraphNode>(node);
    return found == nullptr ? Error::kInvalidValue
                            : FreeParamsOf(*found, dptr_out);
  });
}
