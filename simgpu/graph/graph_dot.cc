// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_dot.h"

namespace dltap::simgpu {
namespace {

std::string NodeName(const GraphNode& node) {
  // Appended step by step: g++ 12 warns of a chain of operator+ here.
  std::string name("\"");
  name.append(std::to_string(node.id)).append("\"");
  return name;
}

std::string Label(const GraphNode& node) {
  if (const auto* kernel = std::get_if<KernelWork>(&node.work)) {
    return kernel->name;
  }
  switch (node.type) {
    case GraphNodeType::kCopy: return "memcpy";
    case GraphNodeType::kMemset: return "memset";
    case GraphNodeType::kHost: return "host";
    case GraphNodeType::kChildGraph: return "graph";
    case GraphNodeType::kEventRecord: return "event record";
    case GraphNodeType::kEventWait: return "event wait";
    case GraphNodeType::kMemoryAlloc: return "alloc";
    case GraphNodeType::kMemoryFree: return "free";
    case GraphNodeType::kMemoryOperations: return "memory operations";
    case GraphNodeType::kSemaphoreSignal: return "semaphore signal";
    case GraphNodeType::kSemaphoreWait: return "semaphore wait";
    case GraphNodeType::kConditional: return "conditional";
    default: return "empty";
  }
}

void AppendBody(const Graph& graph, std::string& text) {
  for (const GraphNode* node : graph.nodes) {
    text += "  " + NodeName(*node) + " [label=\"" + Label(*node) + "\"];\n";
    for (const GraphNode* dependency : node->dependencies) {
      text += "  " + NodeName(*dependency) + " -> " + NodeName(*node) + ";\n";
    }
    std::vector<const Graph*> inside(node->bodies.begin(), node->bodies.end());
    if (node->child != nullptr) inside.push_back(node->child);
    for (const Graph* inner : inside) {
      text += "  subgraph cluster_" + std::to_string(inner->id) + " {\n";
      AppendBody(*inner, text);
      text += "  }\n";
    }
  }
}

}  // namespace

std::string GraphAsDot(const Graph& graph) {
  std::string text = "digraph graph_" + std::to_string(graph.id) + " {\n";
  AppendBody(graph, text);
  return text + "}\n";
}

}  // namespace dltap::simgpu
