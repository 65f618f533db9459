// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/graph_kinds.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace dltap::analyzer {
namespace {

struct Graph {
  uint32_t id = 0;
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  std::set<size_t> names;  // of its kernels
};

std::vector<Graph> GraphsByFirstReplay(const Process& process) {
  absl::flat_hash_map<uint32_t, Graph> graphs;
  for (const Activity& activity : process.activities) {
    if (activity.graph == 0) continue;
    const auto [it, is_new] = graphs.try_emplace(activity.graph);
    Graph& graph = it->second;
    if (is_new) graph.first_ns = graph.last_ns = activity.begin_ns;
    graph.id = activity.graph;
    graph.first_ns = std::min(graph.first_ns, activity.begin_ns);
    graph.last_ns = std::max(graph.last_ns, activity.begin_ns);
    if (activity.kind == ActivityKind::kKernel) {
      graph.names.insert(activity.name.value());
    }
  }
  std::vector<Graph> sorted;
  for (auto& [id, graph] : graphs) sorted.push_back(std::move(graph));
  std::sort(sorted.begin(), sorted.end(), [](const Graph& a, const Graph& b) {
    return std::pair(a.first_ns, a.id) < std::pair(b.first_ns, b.id);
  });
  return sorted;
}

}  // namespace

absl::flat_hash_map<uint32_t, uint32_t> FirstGraphs(const Process& process) {
  struct Line {
    uint32_t first_id;
    int64_t last_ns;
  };
  std::map<std::set<size_t>, std::vector<Line>> lines_by_names;
  absl::flat_hash_map<uint32_t, uint32_t> first_graphs;
  for (const Graph& graph : GraphsByFirstReplay(process)) {
    std::vector<Line>& lines = lines_by_names[graph.names];
    // Where several graphs are instantiated anew, in their order.
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& at) {
      return at.last_ns < graph.first_ns;
    });
    if (line == lines.end()) line = lines.insert(line, {graph.id, 0});
    line->last_ns = graph.last_ns;
    first_graphs[graph.id] = line->first_id;
  }
  return first_graphs;
}

}  // namespace dltap::analyzer
