// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs whose parameters are not those of the driver: copies, and
// memsets, which name no context.
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/device_variables.h"
#include "simgpu/cudart/node_params.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/driver/graph_body.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

// A plain copy.
auto CopyMaker(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return [=](Work* work) {
    return MakeCopy(to, from, Linear(bytes), ToDirection(kind),
                    &work->emplace<CopyWork>());
  };
}

// The bytes of a variable.
Error FindBytes(const void* symbol, size_t bytes, size_t offset, void** at) {
  VariablePlace place{};
  const Error error = FindVariable(ActiveDevice(), symbol, &place);
  if (error != Error::kSuccess) return error;
  if (offset > place.bytes || bytes > place.bytes - offset) {
    return Error::kInvalidValue;
  }
  *at = static_cast<std::byte*>(place.address) + offset;
  return Error::kSuccess;
}

auto ToSymbolMaker(const void* symbol, const void* from, size_t bytes,
                   size_t offset, cudaMemcpyKind kind) {
  return [=](Work* work) {
    void* to = nullptr;
    const Error error = FindBytes(symbol, bytes, offset, &to);
    return error == Error::kSuccess ? CopyMaker(to, from, bytes, kind)(work)
                                    : error;
  };
}

auto FromSymbolMaker(void* to, const void* symbol, size_t bytes, size_t offset,
                     cudaMemcpyKind kind) {
  return [=](Work* work) {
    void* from = nullptr;
    const Error error = FindBytes(symbol, bytes, offset, &from);
    return error == Error::kSuccess ? CopyMaker(to, from, bytes, kind)(work)
                                    : error;
  };
}

template <typename Make>
Error AddCopyNode(cudaGraphNode_t* out, cudaGraph_t graph,
                  const Dependencies& after, Make make) {
  return AddMadeNode(out, graph, after, GraphNodeType::kCopy,
                     [&](NodeSpec* spec) { return make(&spec->work); });
}

}  // namespace

namespace body {

Error GraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph,
                         const cudaGraphNode_t* after, size_t count,
                         const cudaMemsetParams* params) {
  return GraphAddMemsetNode(
      out, graph, after, count,
      reinterpret_cast<const CUDA_MEMSET_NODE_PARAMS*>(params), nullptr);
}

Error GraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                   const cudaMemsetParams* params) {
  return GraphExecMemsetNodeSetParams(
      exec, node, reinterpret_cast<const CUDA_MEMSET_NODE_PARAMS*>(params),
      nullptr);
}

Error GraphAddMemcpyNode(cudaGraphNode_t* out, cudaGraph_t graph,
                         const cudaGraphNode_t* after, size_t count,
                         const cudaMemcpy3DParms* params) {
  return AddWorkNode(out, graph, {after, count}, GraphNodeType::kCopy, params);
}

Error GraphMemcpyNodeGetParams(cudaGraphNode_t node,
                               cudaMemcpy3DParms* params) {
  return GetNodeParams(node, params);
}

Error GraphMemcpyNodeSetParams(cudaGraphNode_t node,
                               const cudaMemcpy3DParms* params) {
  return ChangeMadeNode(node, WorkMaker(params));
}

Error GraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                   const cudaMemcpy3DParms* params) {
  return ChangeMadeNodeIn(exec, node, WorkMaker(params));
}

Error GraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph,
                           const cudaGraphNode_t* after, size_t count, void* to,
                           const void* from, size_t bytes,
                           cudaMemcpyKind kind) {
  return AddCopyNode(out, graph, {after, count},
                     CopyMaker(to, from, bytes, kind));
}

Error GraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to,
                                 const void* from, size_t bytes,
                                 cudaMemcpyKind kind) {
  return ChangeMadeNode(node, CopyMaker(to, from, bytes, kind));
}

Error GraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                     void* to, const void* from, size_t bytes,
                                     cudaMemcpyKind kind) {
  return ChangeMadeNodeIn(exec, node, CopyMaker(to, from, bytes, kind));
}

Error GraphAddMemcpyNodeToSymbol(cudaGraphNode_t* out, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count,
                                 const void* symbol, const void* from,
                                 size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return AddCopyNode(out, graph, {after, count},
                     ToSymbolMaker(symbol, from, bytes, offset, kind));
}

Error GraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                       const void* from, size_t bytes,
                                       size_t offset, cudaMemcpyKind kind) {
  return ChangeMadeNode(node, ToSymbolMaker(symbol, from, bytes, offset, kind));
}

Error GraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec,
                                           cudaGraphNode_t node,
                                           const void* symbol, const void* from,
                                           size_t bytes, size_t offset,
                                           cudaMemcpyKind kind) {
  return ChangeMadeNodeIn(exec, node,
                          ToSymbolMaker(symbol, from, bytes, offset, kind));
}

Error GraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* out, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   void* to, const void* symbol, size_t bytes,
                                   size_t offset, cudaMemcpyKind kind) {
  return AddCopyNode(out, graph, {after, count},
                     FromSymbolMaker(to, symbol, bytes, offset, kind));
}

Error GraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                         const void* symbol, size_t bytes,
                                         size_t offset, cudaMemcpyKind kind) {
  return ChangeMadeNode(node, FromSymbolMaker(to, symbol, bytes, offset, kind));
}

Error GraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec,
                                             cudaGraphNode_t node, void* to,
                                             const void* symbol, size_t bytes,
                                             size_t offset,
                                             cudaMemcpyKind kind) {
  return ChangeMadeNodeIn(exec, node,
                          FromSymbolMaker(to, symbol, bytes, offset, kind));
}

}  // namespace body
}  // namespace dltap::simgpu
