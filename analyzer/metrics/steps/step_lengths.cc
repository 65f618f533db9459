// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/step_lengths.h"

#include <algorithm>
#include <compare>
#include <set>
#include <utility>

namespace dltap::analyzer {
namespace {

using Kinds = std::span<const uint32_t>;
using Lengths = std::vector<size_t>;

// What a run costs to tell as steps of some lengths.
struct Cost {
  // How often what the steps are made of changes, and, of the different ones,
  // how many rows of equal iterations they have.
  size_t told = 0;
  size_t iterations = 0;  // of the different ones

  auto operator<=>(const Cost&) const = default;
};

std::vector<Kinds> StepsOf(Kinds kinds, const Lengths& lengths) {
  std::vector<Kinds> steps;
  size_t first = 0;
  for (const size_t length : lengths) {
    steps.push_back(kinds.subspan(first, length));
    first += length;
  }
  return steps;
}

bool BeginsWith(Kinds whole, Kinds part) {
  return part.size() <= whole.size() &&
         std::ranges::equal(whole.first(part.size()), part);
}

size_t RowsOf(const std::vector<uint32_t>& step) {
  size_t rows = 1;
  for (size_t i = 1; i < step.size(); ++i) rows += step[i] != step[i - 1];
  return rows;
}

size_t ChangesOf(const std::vector<Kinds>& steps) {
  size_t changes = 0;
  for (size_t i = 1; i < steps.size(); ++i) {
    if (std::ranges::equal(steps[i], steps[i - 1])) continue;
    ++changes;
    // One odd step among others is one change, not two.
    const bool odd =
        i + 1 < steps.size() && std::ranges::equal(steps[i - 1], steps[i + 1]);
    if (odd) ++i;
  }
  return changes;
}

Cost CostOf(Kinds kinds, const Lengths& lengths) {
  const std::vector<Kinds> steps = StepsOf(kinds, lengths);
  std::set<std::vector<uint32_t>> different;
  for (const Kinds step : steps) different.emplace(step.begin(), step.end());
  Cost cost{.told = ChangesOf(steps)};
  for (const auto& step : different) {
    cost.told += RowsOf(step);
    cost.iterations += step.size();
  }
  return cost;
}

Lengths OfEqualLength(size_t n, size_t parts) {
  Lengths lengths(n / parts, parts);
  if (n % parts != 0) lengths.push_back(n % parts);
  return lengths;
}

// Each step begins, or ends, with the iterations of one kind.
Lengths CutAt(Kinds kinds, uint32_t kind, bool begins) {
  Lengths lengths;
  size_t first = 0;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const size_t cut = begins ? i : i + 1;
    if (kinds[i] != kind || cut == first) continue;
    lengths.push_back(cut - first);
    first = cut;
  }
  if (first < kinds.size()) lengths.push_back(kinds.size() - first);
  return lengths;
}

size_t EndOfEqual(Kinds kinds, size_t first) {
  size_t end = first + 1;
  while (end < kinds.size() && kinds[end] == kinds[first]) ++end;
  return end;
}

// Equal iterations in a row, more than a step has, are steps of one; their
// last `kept` belong to the steps of `parts` that follow.
Lengths WithEqualApart(Kinds kinds, size_t parts, size_t kept) {
  Lengths lengths;
  size_t open = 0;
  for (size_t first = 0; first < kinds.size();) {
    const size_t end = EndOfEqual(kinds, first);
    size_t n = end - first;
    first = end;
    if (n > parts) {
      if (open > 0) lengths.push_back(std::exchange(open, 0));
      const size_t apart = end == kinds.size() ? n : n - kept;
      lengths.insert(lengths.end(), apart, 1);
      n -= apart;
    }
    for (; n > 0; --n) {
      if (++open == parts) lengths.push_back(std::exchange(open, 0));
    }
  }
  if (open > 0) lengths.push_back(open);
  return lengths;
}

Lengths FewestChanges(Kinds kinds, size_t parts) {
  Lengths best = OfEqualLength(kinds.size(), parts);
  Cost least = CostOf(kinds, best);
  const auto try_these = [&](Lengths lengths) {
    const Cost cost = CostOf(kinds, lengths);
    if (cost >= least) return;
    least = cost;
    best = std::move(lengths);
  };
  for (const uint32_t kind : std::set<uint32_t>(kinds.begin(), kinds.end())) {
    try_these(CutAt(kinds, kind, false));
    try_these(CutAt(kinds, kind, true));
  }
  for (size_t kept = 0; kept < parts; ++kept) {
    try_these(WithEqualApart(kinds, parts, kept));
  }
  return best;
}

}  // namespace

Lengths StepLengths(Kinds kinds, size_t parts) {
  Lengths lengths = FewestChanges(kinds, parts);
  const std::vector<Kinds> steps = StepsOf(kinds, lengths);
  const size_t n = steps.size();
  if (n > 1 && BeginsWith(steps[n - 2], steps[n - 1])) {
    lengths.back() = lengths[n - 2];
  }
  return lengths;
}

}  // namespace dltap::analyzer
