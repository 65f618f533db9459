// SPDX-License-Identifier: Apache-2.0
// Nodes by their tagged parameters.
#include "simgpu/cudart/node_params.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/node_change.h"

namespace dltap::simgpu::body {

Error GraphAddNode(cudaGraphNode_t* out, cudaGraph_t graph,
                   const cudaGraphNode_t* after, const cudaGraphEdgeData* edges,
                   size_t count, cudaGraphNodeParams* params) {
  return AddTagged(NodePlace{out, graph, after, count}, edges, params);
}

Error GraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return SetTagged(FromHandle<GraphNode>(node), params);
}

Error GraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                             cudaGraphNodeParams* params) {
  return SetTaggedInExec(FromHandle<GraphExec>(exec),
                         FromHandle<GraphNode>(node), params);
}

Error GraphConditionalHandleCreate(cudaGraphConditionalHandle* out,
                                   cudaGraph_t graph, unsigned default_value,
                                   unsigned flags) {
  return GraphConditionalHandleCreate(
      reinterpret_cast<CUgraphConditionalHandle*>(out), graph, nullptr,
      default_value, flags);
}

}  // namespace dltap::simgpu::body
