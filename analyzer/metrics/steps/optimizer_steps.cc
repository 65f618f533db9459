// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/optimizer_steps.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "analyzer/attribution/base/optimizer_ranges.h"

namespace dltap::analyzer {
namespace {

using Times = std::pair<int64_t, int64_t>;

std::vector<Times> TimesOfOptimizers(const TraceModel& model,
                                     const Process& process) {
  std::vector<Times> times;
  for (const size_t i : OptimizersWithGradients(model, process)) {
    times.emplace_back(process.ranges[i].begin_ns, process.ranges[i].end_ns);
  }
  std::sort(times.begin(), times.end());
  return times;
}

// The range in which the gradients of `span` are computed; nullptr: none.
const Times* RangeOf(const std::vector<Times>& ranges,
                     const std::vector<CallToken>& tokens,
                     const TokenSpan& span) {
  size_t i = span.first;
  while (i < span.end && !tokens[i].backward) ++i;
  if (i == span.end) return nullptr;
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(),
      Times(tokens[i].begin_ns, std::numeric_limits<int64_t>::max()));
  if (after == ranges.begin()) return nullptr;
  const Times& range = *std::prev(after);
  return tokens[i].begin_ns < range.second ? &range : nullptr;
}

}  // namespace

std::vector<TokenSpan> JoinByOptimizer(const TraceModel& model,
                                       const Process& process,
                                       const std::vector<CallToken>& tokens,
                                       const std::vector<TokenSpan>& spans) {
  const std::vector<Times> ranges = TimesOfOptimizers(model, process);
  if (ranges.empty()) return {};
  std::vector<TokenSpan> joined;
  const Times* last = nullptr;
  for (const TokenSpan& span : spans) {
    const Times* const range = RangeOf(ranges, tokens, span);
    if (range != nullptr && range == last) {
      joined.back().end = span.end;
    } else {
      joined.push_back(span);
    }
    last = range;
  }
  return joined;
}

}  // namespace dltap::analyzer
