// SPDX-License-Identifier: Apache-2.0
// Nodes by their tagged parameters; what is asked of nodes of any type.
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/node_params.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/node_attributes.h"
#include "simgpu/graph/node_change.h"

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t* pDependencies,
                             const cudaGraphEdgeData* dependencyData,
                             size_t numDependencies,
                             cudaGraphNodeParams* nodeParams) {
  return Runtime<"cudaGraphAddNode">(Needs::kContext, [&] {
    return AddTagged(
        NodePlace{pGraphNode, graph, pDependencies, numDependencies},
        dependencyData, nodeParams);
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                   cudaGraphNodeParams* nodeParams) {
  return Runtime<"cudaGraphNodeSetParams">(Needs::kContext, [&] {
    return SetTagged(FromHandle<GraphNode>(node), nodeParams);
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec,
                                       cudaGraphNode_t node,
                                       cudaGraphNodeParams* nodeParams) {
  return Runtime<"cudaGraphExecNodeSetParams">(Needs::kContext, [&] {
    return SetTaggedInExec(FromHandle<GraphExec>(graphExec),
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
