// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/base/optimizer_ranges.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {
namespace {

enum class Kind : uint8_t { kOther, kOptimizer, kNode };

Kind KindOf(std::string_view name) {
  if (name.starts_with("Optimizer.step#")) return Kind::kOptimizer;
  if (name.starts_with("autograd::engine::evaluate_function")) {
    return Kind::kNode;
  }
  return Kind::kOther;
}

}  // namespace

absl::flat_hash_set<size_t> OptimizersWithGradients(const TraceModel& model,
                                                    const Process& process) {
  absl::flat_hash_map<size_t, Kind> kinds;  // by name
  std::vector<int64_t> nodes;               // when they began
  std::vector<size_t> optimizers;
  for (size_t i = 0; i < process.ranges.size(); ++i) {
    const Range& range = process.ranges[i];
    if (range.kind == RangeKind::kPython) continue;
    const auto [it, is_new] = kinds.try_emplace(range.name.value());
    if (is_new) it->second = KindOf(model.texts[range.name]);
    if (it->second == Kind::kNode) nodes.push_back(range.begin_ns);
    if (it->second == Kind::kOptimizer) optimizers.push_back(i);
  }
  std::sort(nodes.begin(), nodes.end());
  absl::flat_hash_set<size_t> found;
  for (const size_t i : optimizers) {
    const Range& range = process.ranges[i];
    const auto node =
        std::lower_bound(nodes.begin(), nodes.end(), range.begin_ns);
    if (node != nodes.end() && *node < range.end_ns) found.insert(i);
  }
  return found;
}

}  // namespace dltap::analyzer
