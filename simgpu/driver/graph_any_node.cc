// SPDX-License-Identifier: Apache-2.0
// Nodes by their tagged parameters; what is asked of nodes of any type.
#include "simgpu/driver/driver_call.h"
#include "simgpu/driver/node_params.h"
#include "simgpu/graph/node_attributes.h"
#include "simgpu/graph/node_change.h"

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuGraphAddNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                        const CUgraphNode* dependencies, size_t numDependencies,
                        CUgraphNodeParams* nodeParams) {
  return Driver<"cuGraphAddNode">(DriverNeeds::kInit, [&] {
    return AddTagged(
        NodePlace{phGraphNode, hGraph, dependencies, numDependencies}, nullptr,
        nodeParams);
  });
}

CUresult cuGraphAddNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                           const CUgraphNode* dependencies,
                           const CUgraphEdgeData* dependencyData,
                           size_t numDependencies,
                           CUgraphNodeParams* nodeParams) {
  return Driver<"cuGraphAddNode_v2">(DriverNeeds::kInit, [&] {
    return AddTagged(
        NodePlace{phGraphNode, hGraph, dependencies, numDependencies},
        dependencyData, nodeParams);
  });
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* nodeParams) {
  return Driver<"cuGraphNodeSetParams">(DriverNeeds::kInit, [&] {
    return SetTagged(FromHandle<GraphNode>(node), nodeParams);
  });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec graphExec, CUgraphNode node,
                                  CUgraphNodeParams* nodeParams) {
  return Driver<"cuGraphExecNodeSetParams">(DriverNeeds::kInit, [&] {
    return SetTaggedInExec(FromHandle<GraphExec>(graphExec),
                           FromHandle<GraphNode>(node), nodeParams);
  });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                               unsigned int isEnabled) {
  return Driver<"cuGraphNodeSetEnabled">(DriverNeeds::kInit, [&] {
    GraphExec* exec = FromHandle<GraphExec>(hGraphExec);
    return exec == nullptr ? Error::kInvalidValue
                           : SetNodeEnabled(*exec, FromHandle<GraphNode>(hNode),
                                            isEnabled != 0);
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                               unsigned int* isEnabled) {
  return Driver<"cuGraphNodeGetEnabled">(DriverNeeds::kInit, [&] {
    GraphExec* exec = FromHandle<GraphExec>(hGraphExec);
    return exec == nullptr
               ? Error::kInvalidValue
               : GetNodeEnabled(*exec, FromHandle<GraphNode>(hNode), isEnabled);
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* pNode, CUgraphNode originalNode,
                                CUgraph clonedGraph) {
  return Driver<"cuGraphNodeFindInClone">(DriverNeeds::kInit, [&] {
    const Graph* clone = FromHandle<Graph>(clonedGraph);
    return clone == nullptr
               ? Error::kInvalidValue
               : FindInClone(FromHandle<GraphNode>(originalNode), *clone,
                             reinterpret_cast<GraphNode**>(pNode));
  });
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out,
                                        CUgraph graph, CUcontext,
                                        unsigned int defaultLaunchValue,
                                        unsigned int flags) {
  return Driver<"cuGraphConditionalHandleCreate">(DriverNeeds::kInit, [&] {
    Graph* found = FromHandle<Graph>(graph);
    if (found == nullptr || pHandle_out == nullptr) return Error::kInvalidValue;
    GraphCondition* condition = nullptr;
    const Error error =
        CreateCondition(*found, defaultLaunchValue, flags, &condition);
    *pHandle_out = reinterpret_cast<CUgraphConditionalHandle>(condition);
    return error;
  });
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode,
                                       CUkernelNodeAttrID attr,
                                       CUkernelNodeAttrValue* value_out) {
  return Driver<"cuGraphKernelNodeGetAttribute">(DriverNeeds::kInit, [&] {
    const GraphNode* node = FromHandle<GraphNode>(hNode);
    return node == nullptr ? Error::kInvalidValue
                           : GetNodeAttribute(*node, attr, value_out);
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode,
                                       CUkernelNodeAttrID attr,
                                       const CUkernelNodeAttrValue* value) {
  return Driver<"cuGraphKernelNodeSetAttribute">(DriverNeeds::kInit, [&] {
    GraphNode* node = FromHandle<GraphNode>(hNode);
    return node == nullptr ? Error::kInvalidValue
                           : SetNodeAttribute(*node, attr, value);
  });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  return Driver<"cuGraphKernelNodeCopyAttributes">(DriverNeeds::kInit, [&] {
    const GraphNode* source = FromHandle<GraphNode>(src);
    GraphNode* target = FromHandle<GraphNode>(dst);
    return source == nullptr || target == nullptr
               ? Error::kInvalidValue
               : CopyNodeAttributes(*source, *target);
  });
}
