// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_EDGE_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_EDGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dltap::simgpu {

struct GraphNode;

// Laid out as cudaGraphEdgeData and CUgraphEdgeData. All zero: the whole of the
// later node waits for the whole of the earlier one.
struct EdgeData {
  uint8_t from_port = 0;
  uint8_t to_port = 0;
  uint8_t type = 0;
  std::array<uint8_t, 5> reserved{};

  friend bool operator==(const EdgeData&, const EdgeData&) = default;
};

// Ports and the type that make an edge "programmatic": the later kernel may
// begin before the earlier one is over.
constexpr uint8_t kPortProgrammatic = 1;
constexpr uint8_t kPortLaunchCompletion = 2;
constexpr uint8_t kEdgeProgrammatic = 1;

// What a node depends on, and how: two lists side by side, as the vendor's
// functions hand them out.
struct Frontier {
  std::vector<GraphNode*> nodes;
  std::vector<EdgeData> edges;

  void Add(GraphNode* node, const EdgeData& edge) {
    nodes.push_back(node);
    edges.push_back(edge);
  }
  void Clear() {
    nodes.clear();
    edges.clear();
  }
};

// The same, of the caller's. No edges: all are plain.
struct DependencyView {
  std::span<GraphNode* const> nodes;
  const EdgeData* edges = nullptr;

  EdgeData EdgeOf(size_t index) const {
    return edges == nullptr ? EdgeData{} : edges[index];
  }
};

inline DependencyView ViewOf(const Frontier& frontier) {
  return {frontier.nodes, frontier.edges.data()};
}

inline bool AllPlain(std::span<const EdgeData> edges) {
  for (const EdgeData& edge : edges) {
    if (edge != EdgeData{}) return false;
  }
  return true;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_EDGE_H_
