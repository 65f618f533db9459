// SPDX-License-Identifier: Apache-2.0
// Event, semaphore and memory nodes of graphs.
#include <span>

#include "shim/simgpu/device/graph/node_spec.h"
#include "shim/simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
CUresult GetEvent(CUgraphNode handle, GraphNodeType type, CUevent* out) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    const GraphNode* node = FromHandle<GraphNode>(handle);
    if (node == nullptr || out == nullptr) return Error::kInvalidValue;
    Event* event = nullptr;
    const Error error = GetNodeEvent(*node, type, &event);
    if (error == Error::kSuccess) *out = ToHandle<CUevent>(event);
    return error;
  });
}

// Work as `make` fills it, for a node of the graph.
template <ApiName kName, typename Make>
CUresult Set(CUgraphNode handle, Make make) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    GraphNode* node = FromHandle<GraphNode>(handle);
    Work work;
    if (node == nullptr) return Error::kInvalidValue;
    const Error error = make(&work);
    return error == Error::kSuccess ? ChangeNode(*node, std::move(work))
                                    : error;
  });
}

template <ApiName kName, typename Make>
CUresult SetInExec(CUgraphExec handle, CUgraphNode node, Make make) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    GraphExec* exec = FromHandle<GraphExec>(handle);
    Work work;
    if (exec == nullptr) return Error::kInvalidValue;
    const Error error = make(&work);
    if (error != Error::kSuccess) return error;
    return ChangeNodeInExec(*exec, FromHandle<GraphNode>(node),
                            std::move(work));
  });
}

auto EventMaker(GraphNodeType type, CUevent event) {
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
  CUgraphNode* out;
  CUgraph graph;
  const CUgraphNode* dependencies;
  size_t count;
};

template <ApiName kName, typename Make>
CUresult Add(const Place& place, Make make) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
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
    if (added == Error::kSuccess) *place.out = ToHandle<CUgraphNode>(node);
    return added;
  });
}

template <ApiName kName, typename Params>
CUresult GetSemaphores(CUgraphNode handle, bool signal, Params* params) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    const GraphNode* node = FromHandle<GraphNode>(handle);
    return node == nullptr ? Error::kInvalidValue
                           : SemaphoreParamsOf(*node, signal, params);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event_out) {
  return GetEvent<"cuGraphEventRecordNodeGetEvent">(
      node, GraphNodeType::kEventRecord, event_out);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return Set<"cuGraphEventRecordNodeSetEvent">(
      node, EventMaker(GraphNodeType::kEventRecord, event));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec,
                                            CUgraphNode hNode, CUevent event) {
  return SetInExec<"cuGraphExecEventRecordNodeSetEvent">(
      hGraphExec, hNode, EventMaker(GraphNodeType::kEventRecord, event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event_out) {
  return GetEvent<"cuGraphEventWaitNodeGetEvent">(
      node, GraphNodeType::kEventWait, event_out);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return Set<"cuGraphEventWaitNodeSetEvent">(
      node, EventMaker(GraphNodeType::kEventWait, event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec,
                                          CUgraphNode hNode, CUevent event) {
  return SetInExec<"cuGraphExecEventWaitNodeSetEvent">(
      hGraphExec, hNode, EventMaker(GraphNodeType::kEventWait, event));
}

CUresult cuGraphAddExternalSemaphoresSignalNode(
    CUgraphNode* pGraphNode, CUgraph graph, const CUgraphNode* pDependencies,
    size_t numDependencies, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return Add<"cuGraphAddExternalSemaphoresSignalNode">(
      {pGraphNode, graph, pDependencies, numDependencies},
      [&](const Graph&, Work* work) {
        return SemaphoreMaker(nodeParams, true)(work);
      });
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(
    CUgraphNode hNode, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params_out) {
  return GetSemaphores<"cuGraphExternalSemaphoresSignalNodeGetParams">(
      hNode, true, params_out);
}

CUresult cuGraphExternalSemaphoresSignalNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return Set<"cuGraphExternalSemaphoresSignalNodeSetParams">(
      hNode, SemaphoreMaker(nodeParams, true));
}

CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode,
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return SetInExec<"cuGraphExecExternalSemaphoresSignalNodeSetParams">(
      hGraphExec, hNode, SemaphoreMaker(nodeParams, true));
}

CUresult cuGraphAddExternalSemaphoresWaitNode(
    CUgraphNode* pGraphNode, CUgraph graph, const CUgraphNode* pDependencies,
    size_t numDependencies, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return Add<"cuGraphAddExternalSemaphoresWaitNode">(
      {pGraphNode, graph, pDependencies, numDependencies},
      [&](const Graph&, Work* work) {
        return SemaphoreMaker(nodeParams, false)(work);
      });
}

CUresult cuGraphExternalSemaphoresWaitNodeGetParams(
    CUgraphNode hNode, CUDA_EXT_SEM_WAIT_NODE_PARAMS* params_out) {
  return GetSemaphores<"cuGraphExternalSemaphoresWaitNodeGetParams">(
      hNode, false, params_out);
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return Set<"cuGraphExternalSemaphoresWaitNodeSetParams">(
      hNode, SemaphoreMaker(nodeParams, false));
}

CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode,
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return SetInExec<"cuGraphExecExternalSemaphoresWaitNodeSetParams">(
      hGraphExec, hNode, SemaphoreMaker(nodeParams, false));
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* pGraphNode, CUgraph graph,
                                const CUgraphNode* pDependencies,
                                size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
  return Add<"cuGraphAddMemAllocNode">(
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

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node,
                                      CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
  return Driver<"cuGraphMemAllocNodeGetParams">(DriverNeeds::kInit, [&] {
    const GraphNode* found = FromHandle<GraphNode>(node);
    return found == nullptr ? Error::kInvalidValue
                            : AllocParamsOf(*found, params_out);
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* pGraphNode, CUgraph graph,
                               const CUgraphNode* pDependencies,
                               size_t numDependencies, CUdeviceptr dptr) {
  return Add<"cuGraphAddMemFreeNode">(
      {pGraphNode, graph, pDependencies, numDependencies},
      [&](const Graph& g, Work* work) {
        return MakeFreeWork(g, (void*)dptr, work);
      });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* dptr_out) {
  return Driver<"cuGraphMemFreeNodeGetParams">(DriverNeeds::kInit, [&] {
    const GraphNode* found = FromHandle<GraphNode>(node);
    return found == nullptr ? Error::kInvalidValue
                            : FreeParamsOf(*found, dptr_out);
  });
}
