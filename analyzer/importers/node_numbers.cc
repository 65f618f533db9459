// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/node_numbers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace dltap::analyzer {
namespace {

// Larger ones are none; made unique, they must fit.
constexpr int64_t kMostNodes = int64_t{1} << 40;

using Made = std::vector<std::pair<int64_t, int64_t>>;  // number, when

// The numbers of each thread's operators, ascending, with the first use.
std::vector<Made> NumbersOfThreads(const std::vector<bool>& is_node,
                                   const Process& process) {
  std::vector<Made> made(process.threads.size());
  for (size_t i = 0; i < process.ranges.size(); ++i) {
    const Range& range = process.ranges[i];
    if (range.sequence < 0 || is_node[i]) continue;
    Made& of_thread = made[range.thread.value()];
    const std::pair number(range.sequence, range.begin_ns);
    if (of_thread.empty() || of_thread.back().first != range.sequence) {
      of_thread.push_back(number);
    } else {
      of_thread.back() = std::min(of_thread.back(), number);
    }
  }
  for (Made& of_thread : made) {
    if (!std::is_sorted(of_thread.begin(), of_thread.end())) {
      std::sort(of_thread.begin(), of_thread.end());
    }
  }
  return made;
}

bool IsMadeBefore(const Made& made, const Range& node) {
  const auto it = std::lower_bound(
      made.begin(), made.end(),
      std::pair(node.sequence, std::numeric_limits<int64_t>::min()));
  return it != made.end() && it->first == node.sequence &&
         it->second < node.begin_ns;
}

}  // namespace

void NumberNodes(const std::vector<NodeRange>& nodes, Process& process) {
  if (nodes.empty()) return;
  std::vector<bool> is_node(process.ranges.size());
  for (const NodeRange& node : nodes) is_node[node.range] = true;
  const std::vector<Made> made = NumbersOfThreads(is_node, process);
  std::map<int64_t, std::vector<size_t>> found;  // by thread
  for (const NodeRange& node : nodes) {
    std::vector<size_t>& of_thread = found[node.forward_thread];
    of_thread.resize(made.size());
    for (size_t t = 0; t < made.size(); ++t) {
      of_thread[t] += IsMadeBefore(made[t], process.ranges[node.range]) ? 1 : 0;
    }
  }
  std::map<int64_t, size_t> thread_of;
  std::vector<bool> taken(made.size());
  for (const auto& [number, counts] : found) {
    size_t best = made.size();
    for (size_t t = 0; t < made.size(); ++t) {
      if (taken[t] || counts[t] == 0) continue;
      if (best == made.size() || counts[t] > counts[best]) best = t;
    }
    thread_of[number] = best;
    if (best < made.size()) taken[best] = true;
  }
  const auto unique = [&made](int64_t number, size_t thread) {
    if (number > kMostNodes) return int64_t{-1};
    return number * static_cast<int64_t>(made.size() + 1) +
           static_cast<int64_t>(thread);
  };
  for (size_t i = 0; i < process.ranges.size(); ++i) {
    Range& range = process.ranges[i];
    if (range.sequence < 0 || is_node[i]) continue;
    range.sequence = unique(range.sequence, range.thread.value());
  }
  for (const NodeRange& node : nodes) {
    Range& range = process.ranges[node.range];
    range.sequence = unique(range.sequence, thread_of[node.forward_thread]);
  }
}

}  // namespace dltap::analyzer
