// SPDX-License-Identifier: Apache-2.0
// Event, semaphore and memory nodes of graphs.
#include <span>

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/graph/node_spec.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
cudaError_t GetEvent(cudaGraphNode_t handle, GraphNodeType type,
                     cudaEvent_t* out) {
  return Runtime<kName>(Needs::kContext, [&] {
    const GraphNode* node = FromHandle<GraphNode>(handle);
    if (node == nullptr || out == nullptr) return Error::kInvalidValue;
    Event* event = nullptr;
    const Error error = GetNodeEvent(*node, type, &event);
    if (error == Error::kSuccess) *out = ToHandle<cudaEvent_t>(event);
    return error;
  });
}

// Work as `make` fills it, for a node of the graph.
template <ApiName kName, typename Make>
cudaError_t Set(cudaGraphNode_t handle, Make make) {
  return Runtime<kName>(Needs::kContext, [&] {
    GraphNode* node = FromHandle<GraphNode>(handle);
    Work work;
    if (node == nullptr) return Error::kInvalidValue;
    const Error error = make(&work);
    return error == Error::kSuccess ? ChangeNode(*node, std::move(work))
                                    : error;
  });
}

template <ApiName kName, typename Make>
cudaError_t SetInExec(cudaGraphExec_t handle, cudaGraphNode_t node, Make make) {
  return Runtime<kName>(Needs::kContext, [&] {
    GraphExec* exec = FromHandle<GraphExec>(handle);
    Work work;
    if (exec == nullptr) return Error::kInvalidValue;
    const Error error = make(&work);
    if (error != Error::kSuccess) return error;
    return ChangeNodeInExec(*exec, FromHandle<GraphNode>(node),
                            std::move(work));
  });
}

auto EventMaker(GraphNodeType type, cudaEvent_t event) {
  return [=](Work* work) { return EventWorkOf(type, event, work); };
}

template <typename Params>
auto SemaphoreMaker(const Params* params, bool signal) {
  return [=](Work* work) {
    return params == nullptr ? Error::kInvalidValue
                             : SemaphoreWorkOf(*params, signal, work);
  };
}

struct Place {
  cudaGraphNode_t* out;
  cudaGraph_t graph;
  const cudaGraphNode_t* dependencies;
  size_t count;
};

template <ApiName kName, typename Make>
cudaError_t Add(const Place& place, Make make) {
  return Runtime<kName>(Needs::kContext, [&] {
    Graph* graph = FromHandle<Graph>(place.graph);
    NodeSpec spec;
    if (graph == nullptr || place.out == nullptr) return Error::kInvalidValue;
    const Error error = make(*graph, &spec.work);
    if (error != Error::kSuccess) return error;
    spec.type = TypeOf(spec.work);
    GraphNode* node = nullptr;
    const std::span nodes(
        reinterpret_cast<GraphNode* const*>(place.dependencies), place.count);
    const Error added = AddNode(*graph, std::move(spec), {nodes}, &node);
    if (added == Error::kSuccess) *place.out = ToHandle<cudaGraphNode_t>(node);
    return added;
  });
}

template <ApiName kName, typename Params>
cudaError_t GetSemaphores(cudaGraphNode_t handle, bool signal, Params* params) {
  return Runtime<kName>(Needs::kContext, [&] {
    const GraphNode* node = FromHandle<GraphNode>(handle);
    return node == nullptr ? Error::kInvalidValue
                           : SemaphoreParamsOf(*node, signal, params);
  });
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
