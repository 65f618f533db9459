// SPDX-License-Identifier: Apache-2.0
// Nodes by their tagged parameters; what is asked of nodes of any type.
#include <span>

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/node_params.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/graph/node_spec.h"

namespace dltap::simgpu {
namespace {

struct Place {
  cudaGraphNode_t* out;
  cudaGraph_t graph;
  const cudaGraphNode_t* dependencies;
  const cudaGraphEdgeData* edges;
  size_t count;
};

Error Add(const Place& place, cudaGraphNodeParams* params) {
  Graph* graph = FromHandle<Graph>(place.graph);
  if (graph == nullptr || place.out == nullptr || params == nullptr ||
      (place.dependencies == nullptr && place.count != 0)) {
    return Error::kInvalidValue;
  }
  NodeSpec spec;
  const Error error = SpecOf(*graph, *params, &spec);
  if (error != Error::kSuccess) return error;
  const DependencyView dependencies{
      {reinterpret_cast<GraphNode* const*>(place.dependencies), place.count},
      reinterpret_cast<const EdgeData*>(place.edges)};
  GraphNode* node = nullptr;
  const Error added = AddNode(*graph, std::move(spec), dependencies, &node);
  if (added != Error::kSuccess) return added;
  FillOutputs(*node, *params);
  *place.out = ToHandle<cudaGraphNode_t>(node);
  return Error::kSuccess;
}

Error SetParams(GraphNode* node, const cudaGraphNodeParams* params) {
  if (node == nullptr || params == nullptr ||
      static_cast<int>(params->type) != static_cast<int>(node->type)) {
    return Error::kInvalidValue;
  }
  if (!CanChange(*node)) return Error::kNotSupported;
  NodeSpec spec;
  const Error error = SpecOf(*node->graph, *params, &spec);
  return error == Error::kSuccess ? ChangeNode(*node, std::move(spec.work))
                                  : error;
}

Error SetParamsInExec(GraphExec* exec, GraphNode* node,
                      const cudaGraphNodeParams* params) {
  if (exec == nullptr || node == nullptr || params == nullptr ||
      static_cast<int>(params->type) != static_cast<int>(node->type)) {
    return Error::kInvalidValue;
  }
  if (!CanChange(*node)) return Error::kNotSupported;
  NodeSpec spec;
  const Error error = SpecOf(*node->graph, *params, &spec);
  if (error != Error::kSuccess) return error;
  if (spec.child == nullptr) {
    return ChangeNodeInExec(*exec, node, std::move(spec.work));
  }
  GraphNode* clone = NodeInExec(*exec, node);
  return clone == nullptr ? Error::kInvalidValue
                          : UpdateChildGraph(*exec, *clone, *spec.child);
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t* pDependencies,
                             const cudaGraphEdgeData* dependencyData,
                             size_t numDependencies,
                             cudaGraphNodeParams* nodeParams) {
  return Runtime<"cudaGraphAddNode">(Needs::kContext, [&] {
    return Add(
        {pGraphNode, graph, pDependencies, dependencyData, numDependencies},
        nodeParams);
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                   cudaGraphNodeParams* nodeParams) {
  return Runtime<"cudaGraphNodeSetParams">(Needs::kContext, [&] {
    return SetParams(FromHandle<GraphNode>(node), nodeParams);
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec,
                                       cudaGraphNode_t node,
                                       cudaGraphNodeParams* nodeParams) {
  return Runtime<"cudaGraphExecNodeSetParams">(Needs::kContext, [&] {
    return SetParamsInExec(FromHandle<GraphExec>(graphExec),
                           FromHandle<GraphNode>(node), nodeParams);
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec,
                                    cudaGraphNode_t hNode,
                                    unsigned int isEnabled) {
  return Runtime<"cudaGraphNodeSetEnabled">(Needs::kContext, [&] {
    GraphExec* exec = FromHandle<GraphExec>(hGraphExec);
    return exec == nullptr ? Error::kInvalidValue
                           : SetNodeEnabled(*exec, FromHandle<GraphNode>(hNode),
                                            isEnabled != 0);
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec,
                                    cudaGraphNode_t hNode,
                                    unsigned int* isEnabled) {
  return Runtime<"cudaGraphNodeGetEnabled">(Needs::kContext, [&] {
    GraphExec* exec = FromHandle<GraphExec>(hGraphExec);
    return exec == nullptr
               ? Error::kInvalidValue
               : GetNodeEnabled(*exec, FromHandle<GraphNode>(hNode), isEnabled);
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* pNode,
                                     cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph) {
  return Runtime<"cudaGraphNodeFindInClone">(Needs::kContext, [&] {
    const Graph* clone = FromHandle<Graph>(clonedGraph);
    return clone == nullptr
               ? Error::kInvalidValue
               : FindInClone(FromHandle<GraphNode>(originalNode), *clone,
                             reinterpret_cast<GraphNode**>(pNode));
  });
}

cudaError_t cudaGraphConditionalHandleCreate(
    cudaGraphConditionalHandle* pHandle_out, cudaGraph_t graph,
    unsigned int defaultLaunchValue, unsigned int flags) {
  return Runtime<"cudaGraphConditionalHandleCreate">(Needs::kContext, [&] {
    Graph* found = FromHandle<Graph>(graph);
    if (found == nullptr || pHandle_out == nullptr) return Error::kInvalidValue;
    GraphCondition* condition = nullptr;
    const Error error =
        CreateCondition(*found, defaultLaunchValue, flags, &condition);
    *pHandle_out = reinterpret_cast<cudaGraphConditionalHandle>(condition);
    return error;
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(
    cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
    cudaLaunchAttributeValue* value_out) {
  return Runtime<"cudaGraphKernelNodeGetAttribute">(Needs::kContext, [&] {
    const GraphNode* node = FromHandle<GraphNode>(hNode);
    return node == nullptr ? Error::kInvalidValue
                           : GetNodeAttribute(*node, attr, value_out);
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(
    cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
    const cudaLaunchAttributeValue* value) {
  return Runtime<"cudaGraphKernelNodeSetAttribute">(Needs::kContext, [&] {
    GraphNode* node = FromHandle<GraphNode>(hNode);
    return node == nullptr ? Error::kInvalidValue
                           : SetNodeAttribute(*node, attr, value);
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst,
                                              cudaGraphNode_t hSrc) {
  return Runtime<"cudaGraphKernelNodeCopyAttributes">(Needs::kContext, [&] {
    const GraphNode* source = FromHandle<GraphNode>(hSrc);
    GraphNode* target = FromHandle<GraphNode>(hDst);
    return source == nullptr || target == nullptr
               ? Error::kInvalidValue
               : CopyNodeAttributes(*source, *target);
  });
}
