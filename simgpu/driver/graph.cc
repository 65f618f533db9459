// SPDX-License-Identifier: Apache-2.0
// Graphs as wholes: creation, structure, instantiation, update.
#include "simgpu/graph/graph.h"

#include <cstdio>

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/graph_dot.h"
#include "simgpu/graph/graph_exec.h"
#include "simgpu/graph/graph_query.h"
#include "simgpu/graph/graph_update.h"

namespace dltap::simgpu {
namespace {

Error Instantiate(CUgraphExec* out, CUgraph handle, uint64_t flags,
                  InstantiateReport* report) {
  return With<Graph>(handle, [&](Graph& graph) {
    if (out == nullptr) return Error::kInvalidValue;
    GraphExec* exec = nullptr;
    const Error error = InstantiateGraph(graph, flags, &exec, report);
    *out = ToHandle<CUgraphExec>(exec);
    return error;
  });
}

using ChangeEdge = Error (*)(GraphNode&, GraphNode&, const EdgeData&);

Error ChangeEdges(ChangeEdge change, CUgraph handle, const CUgraphNode* from,
                  const CUgraphNode* to, const CUgraphEdgeData* edges,
                  size_t count) {
  return With<Graph>(handle, [&](Graph&) {
    const auto* data = reinterpret_cast<const EdgeData*>(edges);
    for (size_t i = 0; i < count; ++i) {
      GraphNode* begin = FromHandle<GraphNode>(from[i]);
      GraphNode* end = FromHandle<GraphNode>(to[i]);
      if (begin == nullptr || end == nullptr) return Error::kInvalidValue;
      const Error error =
          change(*begin, *end, data == nullptr ? EdgeData{} : data[i]);
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

GraphNode** Nodes(CUgraphNode* out) {
  return reinterpret_cast<GraphNode**>(out);
}

EdgeData* Edges(CUgraphEdgeData* out) {
  return reinterpret_cast<EdgeData*>(out);
}

}  // namespace

namespace body {

Error GraphCreate(CUgraph* out, unsigned flags) {
  return flags != 0 || out == nullptr
             ? Error::kInvalidValue
             : Give(out, ToHandle<CUgraph>(NewGraph()));
}

Error GraphDestroy(CUgraph handle) {
  return With<Graph>(handle, [](Graph& graph) {
    if (graph.parent != nullptr) return Error::kInvalidValue;
    DestroyGraph(&graph);
    return Error::kSuccess;
  });
}

Error GraphClone(CUgraph* out, CUgraph original) {
  return With<Graph>(original, [&](Graph& graph) {
    if (out == nullptr) return Error::kInvalidValue;
    if (HasMemoryNodes(graph)) return Error::kNotSupported;
    return Give(out, ToHandle<CUgraph>(CloneGraph(graph, nullptr)));
  });
}

// The oldest form tells the offending node, and why as text.
Error GraphInstantiate(CUgraphExec* out, CUgraph graph, CUgraphNode* failed,
                       char* log, size_t log_bytes) {
  InstantiateReport report;
  const Error error = Instantiate(out, graph, 0, &report);
  if (failed != nullptr) *failed = ToHandle<CUgraphNode>(report.node);
  if (log != nullptr && log_bytes > 0) {
    std::snprintf(log, log_bytes, "%s",
                  error == Error::kSuccess ? "" : "invalid graph structure");
  }
  return error;
}

Error GraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph,
                                unsigned long long flags) {
  InstantiateReport report;
  return Instantiate(out, graph, flags, &report);
}

Error GraphInstantiateWithParams(DefaultStream, CUgraphExec* out, CUgraph graph,
                                 CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  InstantiateReport report{InstantiateResult::kError, nullptr};
  const Error error =
      Instantiate(out, graph, params == nullptr ? 0 : params->flags, &report);
  if (params != nullptr) {
    params->hErrNode_out = ToHandle<CUgraphNode>(report.node);
    params->result_out = static_cast<CUgraphInstantiateResult>(report.result);
  }
  return error;
}

Error GraphExecDestroy(CUgraphExec handle) {
  return With<GraphExec>(handle, DestroyGraphExec);
}

Error GraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  return With<GraphExec>(
      handle, [&](GraphExec& exec) { return Give(flags, exec.flags); });
}

Error GraphUpload(DefaultStream null, CUgraphExec handle, CUstream stream) {
  return With<GraphExec>(handle, [&](GraphExec&) {
    return ResolveStream(stream, null) == nullptr ? Error::kInvalidHandle
                                                  : Error::kSuccess;
  });
}

Error GraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* failed,
                      CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info{};
  const Error error = GraphExecUpdate(exec, graph, &info);
  if (failed != nullptr) *failed = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}

Error GraphExecUpdate(CUgraphExec handle, CUgraph graph_handle,
                      CUgraphExecUpdateResultInfo* info) {
  return With<GraphExec>(handle, [&](GraphExec& exec) {
    const Graph* graph = FromHandle<Graph>(graph_handle);
    if (graph == nullptr) return Error::kInvalidValue;
    const GraphUpdateReport report = UpdateGraphExec(exec, *graph);
    if (info != nullptr) {
      info->result = static_cast<CUgraphExecUpdateResult>(report.result);
      info->errorNode = ToHandle<CUgraphNode>(report.node);
      info->errorFromNode = ToHandle<CUgraphNode>(report.from);
    }
    return report.result == GraphUpdateResult::kSuccess
               ? Error::kSuccess
               : Error::kGraphExecUpdateFailure;
  });
}

Error GraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  return With<Graph>(handle, [&](Graph& graph) {
    return ListNodes(graph.nodes, Nodes(nodes), count);
  });
}

Error GraphGetRootNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  return With<Graph>(handle, [&](Graph& graph) {
    return ListNodes(RootsOf(graph), Nodes(nodes), count);
  });
}

Error GraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                    size_t* count) {
  return GraphGetEdges(graph, from, to, nullptr, count);
}

Error GraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to,
                    CUgraphEdgeData* edges, size_t* count) {
  return With<Graph>(handle, [&](Graph& graph) {
    return ListEdges(graph, Nodes(from), Nodes(to), Edges(edges), count);
  });
}

Error GraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                           const CUgraphNode* to, size_t count) {
  return ChangeEdges(AddDependency, graph, from, to, nullptr, count);
}

Error GraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                           const CUgraphNode* to, const CUgraphEdgeData* edges,
                           size_t count) {
  return ChangeEdges(AddDependency, graph, from, to, edges, count);
}

Error GraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                              const CUgraphNode* to, size_t count) {
  return ChangeEdges(RemoveDependency, graph, from, to, nullptr, count);
}

Error GraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                              const CUgraphNode* to,
                              const CUgraphEdgeData* edges, size_t count) {
  return ChangeEdges(RemoveDependency, graph, from, to, edges, count);
}

Error GraphNodeGetDependencies(CUgraphNode node, CUgraphNode* out,
                               size_t* count) {
  return GraphNodeGetDependencies(node, out, nullptr, count);
}

Error GraphNodeGetDependencies(CUgraphNode handle, CUgraphNode* out,
                               CUgraphEdgeData* edges, size_t* count) {
  return With<GraphNode>(handle, [&](GraphNode& node) {
    return ListDependencies(node, Nodes(out), Edges(edges), count);
  });
}

Error GraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* out,
                                 size_t* count) {
  return GraphNodeGetDependentNodes(node, out, nullptr, count);
}

Error GraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode* out,
                                 CUgraphEdgeData* edges, size_t* count) {
  return With<GraphNode>(handle, [&](GraphNode& node) {
    return ListDependents(node, Nodes(out), Edges(edges), count);
  });
}

Error GraphDestroyNode(CUgraphNode handle) {
  return With<GraphNode>(handle, DestroyNode);
}

Error GraphDebugDotPrint(CUgraph handle, const char* path, unsigned) {
  return With<Graph>(handle, [&](Graph& graph) {
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return Error::kInvalidValue;
    const std::string text = GraphAsDot(graph);
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    return Error::kSuccess;
  });
}

}  // namespace body
}  // namespace dltap::simgpu
