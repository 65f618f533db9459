// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: added one by one, read and changed.
#include "simgpu/driver/graph_body.h"
#include "simgpu/driver/node_params.h"

namespace dltap::simgpu {
namespace {

template <typename EventWork>
Error AddEventNode(CUgraphNode* out, CUgraph graph, const Dependencies& after,
                   GraphNodeType type, CUevent handle) {
  return AddMadeNode(out, graph, after, type, [&](NodeSpec* spec) {
    Event* event = FromHandle<Event>(handle);
    spec->work = EventWork{event};
    return event == nullptr ? Error::kInvalidHandle : Error::kSuccess;
  });
}

}  // namespace

namespace body {

// The functions that have the same arguments for each kind of node.
#define SIMGPU_NODE(Kind, type, Params)                                    \
  Error GraphAdd##Kind##Node(CUgraphNode* out, CUgraph graph,              \
                             const CUgraphNode* after, size_t count,       \
                             const Params* params) {                       \
    return AddWorkNode(out, graph, {after, count}, GraphNodeType::type,    \
                       params);                                            \
  }                                                                        \
  Error GraphExec##Kind##NodeSetParams(CUgraphExec exec, CUgraphNode node, \
                                       const Params* params) {             \
    return ChangeMadeNodeIn(exec, node, WorkMaker(params));                \
  }
#define SIMGPU_NODE_PARAMS(Kind, Params)                                     \
  Error Graph##Kind##NodeGetParams(CUgraphNode node, Params* params) {       \
    return GetNodeParams(node, params);                                      \
  }                                                                          \
  Error Graph##Kind##NodeSetParams(CUgraphNode node, const Params* params) { \
    return ChangeMadeNode(node, WorkMaker(params));                          \
  }
// Those of copies and memsets name a context too.
#define SIMGPU_NODE_IN_CONTEXT(Kind, type, Params)                         \
  Error GraphAdd##Kind##Node(CUgraphNode* out, CUgraph graph,              \
                             const CUgraphNode* after, size_t count,       \
                             const Params* params, CUcontext) {            \
    return AddWorkNode(out, graph, {after, count}, GraphNodeType::type,    \
                       params);                                            \
  }                                                                        \
  Error GraphExec##Kind##NodeSetParams(CUgraphExec exec, CUgraphNode node, \
                                       const Params* params, CUcontext) {  \
    return ChangeMadeNodeIn(exec, node, WorkMaker(params));                \
  }

SIMGPU_NODE(Kernel, kKernel, CUDA_KERNEL_NODE_PARAMS_v1)
SIMGPU_NODE_PARAMS(Kernel, CUDA_KERNEL_NODE_PARAMS_v1)
SIMGPU_NODE(Kernel, kKernel, CUDA_KERNEL_NODE_PARAMS_v2)
SIMGPU_NODE_PARAMS(Kernel, CUDA_KERNEL_NODE_PARAMS_v2)
SIMGPU_NODE_IN_CONTEXT(Memcpy, kCopy, CUDA_MEMCPY3D)
SIMGPU_NODE_PARAMS(Memcpy, CUDA_MEMCPY3D)
SIMGPU_NODE_IN_CONTEXT(Memset, kMemset, CUDA_MEMSET_NODE_PARAMS)
SIMGPU_NODE_PARAMS(Memset, CUDA_MEMSET_NODE_PARAMS)
SIMGPU_NODE(Host, kHost, CUDA_HOST_NODE_PARAMS)
SIMGPU_NODE_PARAMS(Host, CUDA_HOST_NODE_PARAMS)
SIMGPU_NODE(BatchMemOp, kMemoryOperations, CUDA_BATCH_MEM_OP_NODE_PARAMS)
SIMGPU_NODE_PARAMS(BatchMemOp, CUDA_BATCH_MEM_OP_NODE_PARAMS)
#undef SIMGPU_NODE_IN_CONTEXT
#undef SIMGPU_NODE_PARAMS
#undef SIMGPU_NODE

Error GraphAddChildGraphNode(CUgraphNode* out, CUgraph graph,
                             const CUgraphNode* after, size_t count,
                             CUgraph child) {
  return AddMadeNode(out, graph, {after, count}, GraphNodeType::kChildGraph,
                     [&](NodeSpec* spec) {
                       spec->child = FromHandle<Graph>(child);
                       return spec->child == nullptr ? Error::kInvalidValue
                                                     : Error::kSuccess;
                     });
}

Error GraphAddEmptyNode(CUgraphNode* out, CUgraph graph,
                        const CUgraphNode* after, size_t count) {
  return AddMadeNode(out, graph, {after, count}, NodeSpec{}.type,
                     [](NodeSpec*) { return Error::kSuccess; });
}

Error GraphAddEventRecordNode(CUgraphNode* out, CUgraph graph,
                              const CUgraphNode* after, size_t count,
                              CUevent event) {
  return AddEventNode<EventRecordWork>(out, graph, {after, count},
                                       GraphNodeType::kEventRecord, event);
}

Error GraphAddEventWaitNode(CUgraphNode* out, CUgraph graph,
                            const CUgraphNode* after, size_t count,
                            CUevent event) {
  return AddEventNode<EventWaitWork>(out, graph, {after, count},
                                     GraphNodeType::kEventWait, event);
}

Error GraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  return With<GraphNode>(
      handle, [&](GraphNode& node) { return Give(type, node.type); });
}

Error GraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* graph) {
  return With<GraphNode>(handle, [&](GraphNode& node) {
    return node.child == nullptr ? Error::kInvalidValue
                                 : Give(graph, ToHandle<CUgraph>(node.child));
  });
}

Error GraphExecChildGraphNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                       CUgraph child_handle) {
  return With<GraphExec>(handle, [&](GraphExec& exec) {
    GraphNode* clone = NodeInExec(exec, FromHandle<GraphNode>(node));
    const Graph* child = FromHandle<Graph>(child_handle);
    if (clone == nullptr || clone->child == nullptr || child == nullptr) {
      return Error::kInvalidValue;
    }
    return UpdateChildGraph(exec, *clone, *child);
  });
}

}  // namespace body
}  // namespace dltap::simgpu
