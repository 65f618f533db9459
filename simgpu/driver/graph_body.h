// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_DRIVER_GRAPH_BODY_H_
#define DLTAP_SIMGPU_DRIVER_GRAPH_BODY_H_

#include <utility>

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/graph.h"
#include "simgpu/graph/graph_update.h"

namespace dltap::simgpu {

// Bodies that add and change the nodes of graphs, in terms of WorkOf() and
// ParamsOf(), which each API has for the parameters of its own.

struct Dependencies {
  const CUgraphNode* nodes;
  size_t count;
};

inline DependencyView ViewOf(const CUgraphNode* nodes, size_t count,
                             const void* edges = nullptr) {
  return {{reinterpret_cast<GraphNode* const*>(nodes), count},
          static_cast<const EdgeData*>(edges)};
}

// `make` fills in what the node is.
template <typename Make>
Error AddMadeNode(CUgraphNode* out, CUgraph handle, const Dependencies& after,
                  GraphNodeType type, Make make) {
  return With<Graph>(handle, [&](Graph& graph) {
    NodeSpec spec{.type = type, .work = EmptyWork{}, .child = nullptr};
    const Error error = make(&spec);
    if (error != Error::kSuccess) return error;
    if (out == nullptr || (after.nodes == nullptr && after.count != 0)) {
      return Error::kInvalidValue;
    }
    GraphNode* node = nullptr;
    const Error added = AddNode(graph, std::move(spec),
                                ViewOf(after.nodes, after.count), &node);
    if (added == Error::kSuccess) *out = ToHandle<CUgraphNode>(node);
    return added;
  });
}

template <typename Make>
Error ChangeMadeNode(CUgraphNode handle, Make make) {
  return With<GraphNode>(handle, [&](GraphNode& node) {
    Work work;
    const Error error = make(&work);
    return error == Error::kSuccess ? ChangeNode(node, std::move(work)) : error;
  });
}

template <typename Make>
Error ChangeMadeNodeIn(CUgraphExec handle, CUgraphNode node, Make make) {
  return With<GraphExec>(handle, [&](GraphExec& exec) {
    Work work;
    const Error error = make(&work);
    if (error != Error::kSuccess) return error;
    return ChangeNodeInExec(exec, FromHandle<GraphNode>(node), std::move(work));
  });
}

template <typename Params>
auto WorkMaker(const Params* params) {
  return [=](Work* work) {
    return params == nullptr ? Error::kInvalidValue : WorkOf(*params, work);
  };
}

template <typename Params>
Error AddWorkNode(CUgraphNode* out, CUgraph graph, const Dependencies& after,
                  GraphNodeType type, const Params* params) {
  return AddMadeNode(out, graph, after, type, [&](NodeSpec* spec) {
    return WorkMaker(params)(&spec->work);
  });
}

template <typename Params>
Error GetNodeParams(CUgraphNode handle, Params* params) {
  return With<GraphNode>(
      handle, [&](GraphNode& node) { return ParamsOf(node, params); });
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_DRIVER_GRAPH_BODY_H_
