// SPDX-License-Identifier: Apache-2.0
// Event, semaphore and memory nodes of graphs.
#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/node_change.h"

namespace dltap::simgpu::body {

// What event nodes have in both directions.
#define SIMGPU_EVENT_NODE(Kind, type)                                          \
  Error Graph##Kind##NodeGetEvent(CUgraphNode node, CUevent* event) {          \
    return GetEventOf(node, GraphNodeType::type, event);                       \
  }                                                                            \
  Error Graph##Kind##NodeSetEvent(CUgraphNode node, CUevent event) {           \
    return ChangeTo(node, EventMaker(GraphNodeType::type, event));             \
  }                                                                            \
  Error GraphExec##Kind##NodeSetEvent(CUgraphExec exec, CUgraphNode node,      \
                                      CUevent event) {                         \
    return ChangeInExecTo(exec, node, EventMaker(GraphNodeType::type, event)); \
  }
SIMGPU_EVENT_NODE(EventRecord, kEventRecord)
SIMGPU_EVENT_NODE(EventWait, kEventWait)
#undef SIMGPU_EVENT_NODE

// Likewise of semaphore nodes.
#define SIMGPU_SEMAPHORE_NODE(Kind, is_signal, Params)                         \
  Error GraphAddExternalSemaphores##Kind##Node(                                \
      CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count, \
      const Params* params) {                                                  \
    return AddMade(NodePlace{out, graph, after, count},                        \
                   [&](const Graph&, Work* work) {                             \
                     return SemaphoreMaker(params, is_signal)(work);           \
                   });                                                         \
  }                                                                            \
  Error GraphExternalSemaphores##Kind##NodeGetParams(CUgraphNode node,         \
                                                     Params* params) {         \
    return GetSemaphoresOf(node, is_signal, params);                           \
  }                                                                            \
  Error GraphExternalSemaphores##Kind##NodeSetParams(CUgraphNode node,         \
                                                     const Params* params) {   \
    return ChangeTo(node, SemaphoreMaker(params, is_signal));                  \
  }                                                                            \
  Error GraphExecExternalSemaphores##Kind##NodeSetParams(                      \
      CUgraphExec exec, CUgraphNode node, const Params* params) {              \
    return ChangeInExecTo(exec, node, SemaphoreMaker(params, is_signal));      \
  }
SIMGPU_SEMAPHORE_NODE(Signal, true, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
SIMGPU_SEMAPHORE_NODE(Wait, false, CUDA_EXT_SEM_WAIT_NODE_PARAMS)
#undef SIMGPU_SEMAPHORE_NODE

Error GraphAddMemAllocNode(CUgraphNode* out, CUgraph graph,
                           const CUgraphNode* after, size_t count,
                           CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  return AddMade(NodePlace{out, graph, after, count},
                 [&](const Graph&, Work* work) {
                   if (params == nullptr) return Error::kInvalidValue;
                   const Error error = AllocWorkOf(*params, work);
                   if (error != Error::kSuccess) return error;
                   const auto& alloc = *std::get_if<MemoryAllocWork>(work);
                   params->dptr = ToAddress(alloc.allocation->address);
                   return error;
                 });
}

Error GraphMemAllocNodeGetParams(CUgraphNode handle,
                                 CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  return With<GraphNode>(
      handle, [&](GraphNode& node) { return AllocParamsOf(node, params); });
}

Error GraphAddMemFreeNode(CUgraphNode* out, CUgraph graph,
                          const CUgraphNode* after, size_t count,
                          CUdeviceptr address) {
  return AddMade(NodePlace{out, graph, after, count},
                 [&](const Graph& owner, Work* work) {
                   return MakeFreeWork(owner, ToPointer(address), work);
                 });
}

Error GraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr* address) {
  return With<GraphNode>(
      handle, [&](GraphNode& node) { return FreeParamsOf(node, address); });
}

}  // namespace dltap::simgpu::body
