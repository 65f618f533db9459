// SPDX-License-Identifier: Apache-2.0
// Event, semaphore and memory nodes of graphs.
#include "simgpu/driver/driver_call.h"
#include "simgpu/graph/node_change.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
CUresult GetEvent(CUgraphNode node, GraphNodeType type, CUevent* out) {
  return Driver<kName>(DriverNeeds::kInit,
                       [&] { return GetEventOf(node, type, out); });
}

template <ApiName kName, typename Make>
CUresult Set(CUgraphNode node, Make make) {
  return Driver<kName>(DriverNeeds::kInit,
                       [&] { return ChangeTo(node, make); });
}

template <ApiName kName, typename Make>
CUresult SetInExec(CUgraphExec exec, CUgraphNode node, Make make) {
  return Driver<kName>(DriverNeeds::kInit,
                       [&] { return ChangeInExecTo(exec, node, make); });
}

using Place = NodePlace<CUgraphNode, CUgraph>;

template <ApiName kName, typename Make>
CUresult Add(const Place& place, Make make) {
  return Driver<kName>(DriverNeeds::kInit,
                       [&] { return AddMade(place, make); });
}

template <ApiName kName, typename Params>
CUresult GetSemaphores(CUgraphNode node, bool signal, Params* params) {
  return Driver<kName>(DriverNeeds::kInit,
                       [&] { return GetSemaphoresOf(node, signal, params); });
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
