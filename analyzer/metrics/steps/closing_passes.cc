// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/closing_passes.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyzer/metrics/steps/token_spans.h"
#include "analyzer/metrics/steps/usual_iteration.h"

namespace dltap::analyzer {
namespace {

using Signatures = std::vector<uint32_t>;

// Where the first `products` of `span` have been read, before the next one.
std::optional<size_t> EndOfPasses(const std::vector<CallToken>& tokens,
                                  const TokenSpan& span, size_t products) {
  size_t i = span.first;
  for (; products > 0; ++i) products -= tokens[i].product ? 1 : 0;
  size_t next = i;
  while (next < span.end && !tokens[next].product) ++next;
  return EndOfTail(tokens, i, next);
}

}  // namespace

bool EndWithPasses(const std::vector<CallToken>& tokens, const TokenSpan& rest,
                   std::vector<TokenSpan>& steps) {
  const Signatures passes = ProductsOf(tokens, rest);
  if (passes.empty() || steps.size() < kMinRepeats ||
      rest.first != steps.back().end ||
      AnyOf(tokens, rest, &CallToken::backward)) {
    return false;
  }
  const Signatures alone = ProductsOf(tokens, steps[0]);
  Signatures with_passes = passes;
  with_passes.insert(with_passes.end(), alone.begin(), alone.end());
  std::vector<size_t> ends;
  for (size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].use != StepUse::kUsed || steps[i].first != steps[i - 1].end ||
        ProductsOf(tokens, steps[i]) != with_passes) {
      return false;
    }
    const auto end = EndOfPasses(tokens, steps[i], passes.size());
    if (!end) return false;
    ends.push_back(*end);
  }
  ends.push_back(rest.end);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) steps[i].first = ends[i - 1];
    steps[i].end = ends[i];
  }
  return true;
}

}  // namespace dltap::analyzer
