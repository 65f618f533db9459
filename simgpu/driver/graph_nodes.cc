// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: added one by one, read and changed.
#include <span>

#include "simgpu/driver/graph_call.h"
#include "simgpu/driver/node_params.h"
#include "simgpu/graph/graph.h"
#include "simgpu/graph/graph_update.h"

namespace dltap::simgpu {
namespace {

struct Dependencies {
  const CUgraphNode* nodes;
  size_t count;
  const CUgraphEdgeData* edges = nullptr;
};

Error Add(Graph& graph, const Dependencies& after, NodeSpec spec,
          CUgraphNode* out) {
  if (out == nullptr || (after.nodes == nullptr && after.count != 0)) {
    return Error::kInvalidValue;
  }
  GraphNode* node = nullptr;
  const DependencyView dependencies{
      {reinterpret_cast<GraphNode* const*>(after.nodes), after.count},
      reinterpret_cast<const EdgeData*>(after.edges)};
  const Error error = AddNode(graph, std::move(spec), dependencies, &node);
  if (error == Error::kSuccess) *out = ToHandle<CUgraphNode>(node);
  return error;
}

// A node whose parameters WorkOf() understands.
template <ApiName kName, typename Params>
CUresult AddWork(CUgraph handle, const Dependencies& after, GraphNodeType type,
                 const Params* params, CUgraphNode* out) {
  return OnGraph<kName>(handle, [&](Graph& graph) {
    if (params == nullptr) return Error::kInvalidValue;
    NodeSpec spec{.type = type, .work = EmptyWork{}, .child = nullptr};
    const Error error = WorkOf(*params, &spec.work);
    return error == Error::kSuccess ? Add(graph, after, std::move(spec), out)
                                    : error;
  });
}

template <ApiName kName, typename EventWork>
CUresult AddEvent(CUgraph handle, const Dependencies& after, GraphNodeType type,
                  CUevent event_handle, CUgraphNode* out) {
  return OnGraph<kName>(handle, [&](Graph& graph) {
    Event* event = FromHandle<Event>(event_handle);
    if (event == nullptr) return Error::kInvalidHandle;
    return Add(graph, after,
               {.type = type, .work = EventWork{event}, .child = nullptr}, out);
  });
}

template <ApiName kName, typename Params>
CUresult GetParams(CUgraphNode handle, Params* params) {
  return OnNode<kName>(handle,
                       [&](GraphNode& node) { return ParamsOf(node, params); });
}

template <ApiName kName, typename Params>
CUresult SetParams(CUgraphNode handle, const Params* params) {
  return OnNode<kName>(handle, [&](GraphNode& node) {
    Work work;
    if (params == nullptr) return Error::kInvalidValue;
    const Error error = WorkOf(*params, &work);
    return error == Error::kSuccess ? ChangeNode(node, std::move(work)) : error;
  });
}

template <ApiName kName, typename Params>
CUresult ExecSetParams(CUgraphExec handle, CUgraphNode node,
                       const Params* params) {
  return OnExec<kName>(handle, [&](GraphExec& exec) {
    Work work;
    if (params == nullptr) return Error::kInvalidValue;
    const Error error = WorkOf(*params, &work);
    if (error != Error::kSuccess) return error;
    return ChangeNodeInExec(exec, FromHandle<GraphNode>(node), std::move(work));
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies,
                              size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return AddWork<"cuGraphAddKernelNode">(
      hGraph, {dependencies, numDependencies}, GraphNodeType::kKernel,
      nodeParams, phGraphNode);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies,
                                 size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return AddWork<"cuGraphAddKernelNode_v2">(
      hGraph, {dependencies, numDependencies}, GraphNodeType::kKernel,
      nodeParams, phGraphNode);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies,
                              size_t numDependencies,
                              const CUDA_MEMCPY3D* copyParams, CUcontext) {
  return AddWork<"cuGraphAddMemcpyNode">(
      hGraph, {dependencies, numDependencies}, GraphNodeType::kCopy, copyParams,
      phGraphNode);
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies,
                              size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS* memsetParams,
                              CUcontext) {
  return AddWork<"cuGraphAddMemsetNode">(
      hGraph, {dependencies, numDependencies}, GraphNodeType::kMemset,
      memsetParams, phGraphNode);
}

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                            const CUgraphNode* dependencies,
                            size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return AddWork<"cuGraphAddHostNode">(hGraph, {dependencies, numDependencies},
                                       GraphNodeType::kHost, nodeParams,
                                       phGraphNode);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies,
                                  size_t numDependencies, CUgraph childGraph) {
  return OnGraph<"cuGraphAddChildGraphNode">(hGraph, [&](Graph& graph) {
    Graph* child = FromHandle<Graph>(childGraph);
    if (child == nullptr) return Error::kInvalidValue;
    return Add(graph, {dependencies, numDependencies},
               {.type = GraphNodeType::kChildGraph,
                .work = EmptyWork{},
                .child = child},
               phGraphNode);
  });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                             const CUgraphNode* dependencies,
                             size_t numDependencies) {
  return OnGraph<"cuGraphAddEmptyNode">(hGraph, [&](Graph& graph) {
    return Add(graph, {dependencies, numDependencies}, NodeSpec{}, phGraphNode);
  });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                   const CUgraphNode* dependencies,
                                   size_t numDependencies, CUevent event) {
  return AddEvent<"cuGraphAddEventRecordNode", EventRecordWork>(
      hGraph, {dependencies, numDependencies}, GraphNodeType::kEventRecord,
      event, phGraphNode);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies,
                                 size_t numDependencies, CUevent event) {
  return AddEvent<"cuGraphAddEventWaitNode", EventWaitWork>(
      hGraph, {dependencies, numDependencies}, GraphNodeType::kEventWait, event,
      phGraphNode);
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
  return OnNode<"cuGraphNodeGetType">(hNode, [&](GraphNode& node) {
    if (type == nullptr) return Error::kInvalidValue;
    *type = static_cast<CUgraphNodeType>(node.type);
    return Error::kSuccess;
  });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return OnNode<"cuGraphChildGraphNodeGetGraph">(hNode, [&](GraphNode& node) {
    if (phGraph == nullptr || node.child == nullptr) {
      return Error::kInvalidValue;
    }
    *phGraph = ToHandle<CUgraph>(node.child);
    return Error::kSuccess;
  });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode,
                                    CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return GetParams<"cuGraphKernelNodeGetParams">(hNode, nodeParams);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode,
                                       CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return GetParams<"cuGraphKernelNodeGetParams_v2">(hNode, nodeParams);
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode,
                                    CUDA_MEMCPY3D* nodeParams) {
  return GetParams<"cuGraphMemcpyNodeGetParams">(hNode, nodeParams);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode,
                                    CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return GetParams<"cuGraphMemsetNodeGetParams">(hNode, nodeParams);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode,
                                  CUDA_HOST_NODE_PARAMS* nodeParams) {
  return GetParams<"cuGraphHostNodeGetParams">(hNode, nodeParams);
}

CUresult cuGraphKernelNodeSetParams_v2(
    CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return SetParams<"cuGraphKernelNodeSetParams_v2">(hNode, nodeParams);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode,
                                    const CUDA_MEMCPY3D* nodeParams) {
  return SetParams<"cuGraphMemcpyNodeSetParams">(hNode, nodeParams);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode,
                                    const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return SetParams<"cuGraphMemsetNodeSetParams">(hNode, nodeParams);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode,
                                  const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return SetParams<"cuGraphHostNodeSetParams">(hNode, nodeParams);
}

CUresult cuGraphExecKernelNodeSetParams_v2(
    CUgraphExec hGraphExec, CUgraphNode hNode,
    const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return ExecSetParams<"cuGraphExecKernelNodeSetParams_v2">(hGraphExec, hNode,
                                                            nodeParams);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec,
                                        CUgraphNode hNode,
                                        const CUDA_MEMCPY3D* copyParams,
                                        CUcontext) {
  return ExecSetParams<"cuGraphExecMemcpyNodeSetParams">(hGraphExec, hNode,
                                                         copyParams);
}

CUresult cuGraphExecMemsetNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode,
    const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext) {
  return ExecSetParams<"cuGraphExecMemsetNodeSetParams">(hGraphExec, hNode,
                                                         memsetParams);
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return ExecSetParams<"cuGraphExecHostNodeSetParams">(hGraphExec, hNode,
                                                       nodeParams);
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec,
                                            CUgraphNode hNode,
                                            CUgraph childGraph) {
  return OnExec<"cuGraphExecChildGraphNodeSetParams">(
      hGraphExec, [&](GraphExec& exec) {
        GraphNode* node = NodeInExec(exec, FromHandle<GraphNode>(hNode));
        const Graph* child = FromHandle<Graph>(childGraph);
        if (node == nullptr || node->child == nullptr || child == nullptr) {
          return Error::kInvalidValue;
        }
        return UpdateChildGraph(exec, *node, *child);
      });
}

CUresult cuGraphKernelNodeSetParams(
    CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return SetParams<"cuGraphKernelNodeSetParams">(hNode, nodeParams);
}

CUresult cuGraphExecKernelNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode,
    const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return ExecSetParams<"cuGraphExecKernelNodeSetParams">(hGraphExec, hNode,
                                                         nodeParams);
}

CUresult cuGraphAddBatchMemOpNode(
    CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
    size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return AddWork<"cuGraphAddBatchMemOpNode">(
      hGraph, {dependencies, numDependencies}, GraphNodeType::kMemoryOperations,
      nodeParams, phGraphNode);
}

CUresult cuGraphBatchMemOpNodeGetParams(
    CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
  return GetParams<"cuGraphBatchMemOpNodeGetParams">(hNode, nodeParams_out);
}

CUresult cuGraphBatchMemOpNodeSetParams(
    CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return SetParams<"cuGraphBatchMemOpNodeSetParams">(hNode, nodeParams);
}

CUresult cuGraphExecBatchMemOpNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode,
    const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return ExecSetParams<"cuGraphExecBatchMemOpNodeSetParams">(hGraphExec, hNode,
                                                             nodeParams);
}
