// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_query.h"

#include <algorithm>

namespace dltap::simgpu {
namespace {

Error ListWithData(const std::vector<GraphNode*>& nodes,
                   const std::vector<EdgeData>& edges, GraphNode** out,
                   EdgeData* data, size_t* count) {
  if (out == nullptr && data != nullptr) return Error::kInvalidValue;
  if (out != nullptr && data == nullptr && !AllPlain(edges)) {
    return Error::kLossyQuery;
  }
  if (data != nullptr && count != nullptr) {
    for (size_t i = 0; i < *count; ++i) {
      data[i] = i < edges.size() ? edges[i] : EdgeData{};
    }
  }
  return ListNodes(nodes, out, count);
}

}  // namespace

Error ListNodes(const std::vector<GraphNode*>& nodes, GraphNode** out,
                size_t* count) {
  if (count == nullptr) return Error::kInvalidValue;
  if (out == nullptr) {
    *count = nodes.size();
    return Error::kSuccess;
  }
  for (size_t i = 0; i < *count; ++i) {
    out[i] = i < nodes.size() ? nodes[i] : nullptr;
  }
  *count = std::min(*count, nodes.size());
  return Error::kSuccess;
}

Error ListDependencies(const GraphNode& node, GraphNode** out, EdgeData* data,
                       size_t* count) {
  return ListWithData(node.dependencies, node.edges, out, data, count);
}

Error ListDependents(const GraphNode& node, GraphNode** out, EdgeData* data,
                     size_t* count) {
  std::vector<EdgeData> edges;
  for (const GraphNode* dependent : node.dependents) {
    edges.push_back(EdgeBetween(node, *dependent));
  }
  return ListWithData(node.dependents, edges, out, data, count);
}

Error ListEdges(const Graph& graph, GraphNode** from, GraphNode** to,
                EdgeData* data, size_t* count) {
  if (count == nullptr || (from == nullptr) != (to == nullptr)) {
    return Error::kInvalidValue;
  }
  std::vector<GraphNode*> sources;
  std::vector<GraphNode*> targets;
  std::vector<EdgeData> edges;
  for (GraphNode* node : graph.nodes) {
    for (size_t i = 0; i < node->dependencies.size(); ++i) {
      sources.push_back(node->dependencies[i]);
      targets.push_back(node);
      edges.push_back(node->edges[i]);
    }
  }
  size_t room = *count;
  const Error error = ListWithData(sources, edges, from, data, &room);
  return error == Error::kSuccess ? ListNodes(targets, to, count) : error;
}

std::vector<GraphNode*> RootsOf(const Graph& graph) {
  std::vector<GraphNode*> roots;
  for (GraphNode* node : graph.nodes) {
    if (node->dependencies.empty()) roots.push_back(node);
  }
  return roots;
}

}  // namespace dltap::simgpu
