// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_NODE_CHANGE_H_
#define DLTAP_SIMGPU_GRAPH_NODE_CHANGE_H_

#include <cstddef>
#include <span>
#include <utility>

#include "simgpu/graph/node_spec.h"

namespace dltap::simgpu {

// What the functions for event, semaphore and memory nodes do with a client's
// handles, the same for the runtime and the driver. `make` fills the node's new
// work from the client's parameters.

template <typename Make>
Error ChangeTo(const void* handle, Make make) {
  GraphNode* node = FromHandle<GraphNode>(handle);
  Work work;
  if (node == nullptr) return Error::kInvalidValue;
  const Error error = make(&work);
  return error == Error::kSuccess ? ChangeNode(*node, std::move(work)) : error;
}

template <typename Make>
Error ChangeInExecTo(const void* exec_handle, const void* node, Make make) {
  GraphExec* exec = FromHandle<GraphExec>(exec_handle);
  Work work;
  if (exec == nullptr) return Error::kInvalidValue;
  const Error error = make(&work);
  if (error != Error::kSuccess) return error;
  return ChangeNodeInExec(*exec, FromHandle<GraphNode>(node), std::move(work));
}

// Where a node is added; Node and GraphHandle are the client's handle types.
template <typename Node, typename GraphHandle>
struct NodePlace {
  Node* out;
  GraphHandle graph;
  const Node* dependencies;
  size_t count;
};

// `make` gets the graph too.
template <typename Node, typename GraphHandle, typename Make>
Error AddMade(const NodePlace<Node, GraphHandle>& place, Make make) {
  Graph* graph = FromHandle<Graph>(place.graph);
  NodeSpec spec;
  if (graph == nullptr || place.out == nullptr) return Error::kInvalidValue;
  const Error error = make(*graph, &spec.work);
  if (error != Error::kSuccess) return error;
  spec.type = TypeOf(spec.work);
  GraphNode* node = nullptr;
  const std::span nodes(reinterpret_cast<GraphNode* const*>(place.dependencies),
                        place.count);
  const Error added = AddNode(*graph, std::move(spec), {nodes}, &node);
  if (added == Error::kSuccess) *place.out = reinterpret_cast<Node>(node);
  return added;
}

template <typename EventHandle>
Error GetEventOf(const void* handle, GraphNodeType type, EventHandle* out) {
  const GraphNode* node = FromHandle<GraphNode>(handle);
  if (node == nullptr || out == nullptr) return Error::kInvalidValue;
  Event* event = nullptr;
  const Error error = GetNodeEvent(*node, type, &event);
  if (error == Error::kSuccess) *out = reinterpret_cast<EventHandle>(event);
  return error;
}

template <typename Params>
Error GetSemaphoresOf(const void* handle, bool signal, Params* params) {
  const GraphNode* node = FromHandle<GraphNode>(handle);
  return node == nullptr ? Error::kInvalidValue
                         : SemaphoreParamsOf(*node, signal, params);
}

template <typename EventHandle>
auto EventMaker(GraphNodeType type, EventHandle event) {
  return [=](Work* work) { return EventWorkOf(type, event, work); };
}

template <typename Params>
auto SemaphoreMaker(const Params* params, bool signal) {
  return [=](Work* work) {
    return params == nullptr ? Error::kInvalidValue
                             : SemaphoreWorkOf(*params, signal, work);
  };
}

// Nodes by their tagged parameters; each API has its own SpecOf() for them.

template <typename Node, typename GraphHandle, typename Params>
Error AddTagged(const NodePlace<Node, GraphHandle>& place, const void* edges,
                Params* params) {
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
      static_cast<const EdgeData*>(edges)};
  GraphNode* node = nullptr;
  const Error added = AddNode(*graph, std::move(spec), dependencies, &node);
  if (added != Error::kSuccess) return added;
  FillOutputs(*node, *params);
  *place.out = reinterpret_cast<Node>(node);
  return Error::kSuccess;
}

template <typename Params>
Error SetTagged(GraphNode* node, const Params* params) {
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

template <typename Params>
Error SetTaggedInExec(GraphExec* exec, GraphNode* node, const Params* params) {
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

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_NODE_CHANGE_H_
