// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/adaptations.h"

#include <cstddef>
#include <cstdint>
#include <set>

#include "analyzer/metrics/steps/token_spans.h"

namespace dltap::analyzer {
namespace {

class Adaptations {
 public:
  Adaptations(const std::vector<CallToken>& tokens,
              const std::vector<TokenSpan>& iterations,
              const std::vector<TokenSpan>& steps)
      : tokens_(tokens) {
    size_t next = 0;
    for (const TokenSpan& step : steps) {
      const size_t first = next;
      while (next < iterations.size() && iterations[next].end <= step.end) {
        ++next;
      }
      if (step.use != StepUse::kUsed || next - first < 2) continue;
      all_end_with_optimizer_ &= IsOptimized(iterations[next - 1]);
      ++joined_;
      for (size_t i = first; i + 1 < next; ++i) {
        if (!IsOptimized(iterations[i])) {
          inner_.insert(ProductsOf(tokens, iterations[i]));
        }
      }
    }
  }

  std::vector<TokenSpan> LeftOut(const std::vector<TokenSpan>& steps) const {
    if (joined_ < kMinRepeats || !all_end_with_optimizer_ || inner_.empty()) {
      return steps;
    }
    std::vector<TokenSpan> out;
    bool open = false;
    for (const TokenSpan& step : steps) {
      const bool is_inner = IsInner(step);
      if (open && (is_inner || step.use == StepUse::kEvaluation)) {
        out.back().end = step.end;
      } else {
        out.push_back(step);
        if (is_inner) out.back().use = StepUse::kEvaluation;
      }
      open = is_inner;
    }
    return out;
  }

 private:
  bool IsOptimized(const TokenSpan& span) const {
    return AnyOf(tokens_, span, &CallToken::optimizer);
  }
  bool IsInner(const TokenSpan& step) const {
    return step.use == StepUse::kUsed && !IsOptimized(step) &&
           inner_.contains(ProductsOf(tokens_, step));
  }

  const std::vector<CallToken>& tokens_;
  std::set<std::vector<uint32_t>> inner_;  // products of iterations
  size_t joined_ = 0;
  bool all_end_with_optimizer_ = true;
};

}  // namespace

std::vector<TokenSpan> WithoutAdaptations(
    const std::vector<CallToken>& tokens,
    const std::vector<TokenSpan>& iterations,
    const std::vector<TokenSpan>& steps) {
  return Adaptations(tokens, iterations, steps).LeftOut(steps);
}

}  // namespace dltap::analyzer
