// SPDX-License-Identifier: Apache-2.0
// Nodes by their tagged parameters; what is asked of nodes of any type.
#include "simgpu/driver/driver_body.h"
#include "simgpu/driver/node_params.h"
#include "simgpu/graph/node_attributes.h"
#include "simgpu/graph/node_change.h"

namespace dltap::simgpu::body {

Error GraphAddNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                   size_t count, CUgraphNodeParams* params) {
  return GraphAddNode(out, graph, after, nullptr, count, params);
}

Error GraphAddNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after,
                   const CUgraphEdgeData* edges, size_t count,
                   CUgraphNodeParams* params) {
  return AddTagged(NodePlace{out, graph, after, count}, edges, params);
}

Error GraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* params) {
  return SetTagged(FromHandle<GraphNode>(node), params);
}

Error GraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                             CUgraphNodeParams* params) {
  return SetTaggedInExec(FromHandle<GraphExec>(exec),
                         FromHandle<GraphNode>(node), params);
}

Error GraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node,
                          unsigned enabled) {
  return With<GraphExec>(handle, [&](GraphExec& exec) {
    return SetNodeEnabled(exec, FromHandle<GraphNode>(node), enabled != 0);
  });
}

Error GraphNodeGetEnabled(CUgraphExec handle, CUgraphNode node,
                          unsigned* enabled) {
  return With<GraphExec>(handle, [&](GraphExec& exec) {
    return GetNodeEnabled(exec, FromHandle<GraphNode>(node), enabled);
  });
}

Error GraphNodeFindInClone(CUgraphNode* out, CUgraphNode original,
                           CUgraph handle) {
  return With<Graph>(handle, [&](Graph& clone) {
    return FindInClone(FromHandle<GraphNode>(original), clone,
                       reinterpret_cast<GraphNode**>(out));
  });
}

Error GraphConditionalHandleCreate(CUgraphConditionalHandle* out,
                                   CUgraph handle, CUcontext,
                                   unsigned default_value, unsigned flags) {
  return With<Graph>(handle, [&](Graph& graph) {
    if (out == nullptr) return Error::kInvalidValue;
    GraphCondition* condition = nullptr;
    const Error error =
        CreateCondition(graph, default_value, flags, &condition);
    *out = reinterpret_cast<CUgraphConditionalHandle>(condition);
    return error;
  });
}

Error GraphKernelNodeGetAttribute(CUgraphNode handle,
                                  CUkernelNodeAttrID attribute,
                                  CUkernelNodeAttrValue* value) {
  return With<GraphNode>(handle, [&](GraphNode& node) {
    return GetNodeAttribute(node, attribute, value);
  });
}

Error GraphKernelNodeSetAttribute(CUgraphNode handle,
                                  CUkernelNodeAttrID attribute,
                                  const CUkernelNodeAttrValue* value) {
  return With<GraphNode>(handle, [&](GraphNode& node) {
    return SetNodeAttribute(node, attribute, value);
  });
}

Error GraphKernelNodeCopyAttributes(CUgraphNode target, CUgraphNode source) {
  return With<GraphNode>(source, [&](GraphNode& from) {
    return With<GraphNode>(
        target, [&](GraphNode& to) { return CopyNodeAttributes(from, to); });
  });
}

}  // namespace dltap::simgpu::body
