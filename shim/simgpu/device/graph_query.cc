// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/graph_query.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>

#include "shim/simgpu/device/kernel.h"

namespace dltap::simgpu {

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

Error ListEdges(const Graph& graph, GraphNode** from, GraphNode** to,
                size_t* count) {
  if (count == nullptr || (from == nullptr) != (to == nullptr)) {
    return Error::kInvalidValue;
  }
  std::vector<GraphNode*> sources;
  std::vector<GraphNode*> targets;
  for (GraphNode* node : graph.nodes) {
    for (GraphNode* dependency : node->dependencies) {
      sources.push_back(dependency);
      targets.push_back(node);
    }
  }
  size_t room = *count;
  ListNodes(sources, from, &room);
  return ListNodes(targets, to, count);
}

std::vector<GraphNode*> RootsOf(const Graph& graph) {
  std::vector<GraphNode*> roots;
  for (GraphNode* node : graph.nodes) {
    if (node->dependencies.empty()) roots.push_back(node);
  }
  return roots;
}

Kernel* KernelOfNode(const KernelWork& work) {
  if (work.kernel != nullptr) return const_cast<Kernel*>(work.kernel);
  struct Named {
    std::mutex mutex;
    std::unordered_map<std::string, Kernel*> by_name;
  };
  static auto* const named = new Named;
  const std::lock_guard lock(named->mutex);
  Kernel*& kernel = named->by_name[work.name];
  if (kernel == nullptr) kernel = HandlePool<Kernel>::New(work.name, nullptr);
  return kernel;
}

}  // namespace dltap::simgpu
