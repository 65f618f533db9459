// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/kind_period.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/metrics/steps/step.h"
#include "analyzer/metrics/steps/step_parts.h"

namespace dltap::analyzer {
namespace {

using Kinds = std::vector<uint32_t>;

// The last period may break off. 1: they do not recur, or all are equal.
size_t PeriodOf(const Kinds& kinds) {
  const size_t most = std::min(kMostParts, kinds.size() / kMinRepeats);
  for (size_t period = 1; period <= most; ++period) {
    const auto later = kinds.begin() + static_cast<ptrdiff_t>(period);
    if (std::equal(later, kinds.end(), kinds.begin())) return period;
  }
  return 1;
}

// Where the kind changes in one period.
std::vector<bool> ChangesIn(const Kinds& kinds, size_t period) {
  std::vector<bool> changes;
  for (size_t i = 0; i < period; ++i) {
    changes.push_back(kinds[i] != kinds[i + 1]);
  }
  return changes;
}

}  // namespace

size_t PeriodBesideExtras(std::span<const uint32_t> kinds) {
  std::map<uint32_t, size_t> counts;
  for (const uint32_t kind : kinds) ++counts[kind];
  std::vector<std::pair<size_t, uint32_t>> rarest_first;
  for (const auto& [kind, count] : counts) {
    rarest_first.emplace_back(count, kind);
  }
  std::ranges::sort(rarest_first);
  Kinds left(kinds.begin(), kinds.end());
  if (PeriodOf(left) > 1) return 1;
  for (const auto& [count, kind] : rarest_first) {
    std::erase(left, kind);
    const size_t period = PeriodOf(left);
    if (period == 1 || AreLoopsByTurns(ChangesIn(left, period))) continue;
    return 2 * count <= left.size() / period ? period : 1;
  }
  return 1;
}

}  // namespace dltap::analyzer
