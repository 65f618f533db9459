// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/side_updates.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/steps/token_spans.h"

namespace dltap::analyzer {
namespace {

class SideUpdates {
 public:
  SideUpdates(const std::vector<CallToken>& tokens,
              const std::vector<TokenSpan>& spans)
      : tokens_(tokens) {
    for (const TokenSpan& span : spans) {
      if (!HasOptimizer(span)) continue;
      for (size_t i = span.first; i < span.end; ++i) {
        if (tokens_[i].update) beside_.insert(tokens_[i].signature);
      }
    }
  }

  std::vector<TokenSpan> Joined(const std::vector<TokenSpan>& spans) const {
    std::vector<TokenSpan> joined;
    bool open = false;
    for (const TokenSpan& span : spans) {
      if (open) {
        joined.back().end = span.end;
      } else {
        joined.push_back(span);
      }
      open = &span != &spans.back() && IsSide(span);
    }
    return joined;
  }

 private:
  bool HasOptimizer(const TokenSpan& span) const {
    return AnyOf(tokens_, span, &CallToken::optimizer);
  }

  bool IsSide(const TokenSpan& span) const {
    if (beside_.empty() || HasOptimizer(span)) return false;
    return std::all_of(tokens_.begin() + static_cast<ptrdiff_t>(span.first),
                       tokens_.begin() + static_cast<ptrdiff_t>(span.end),
                       [this](const CallToken& token) {
                         return !token.update ||
                                beside_.contains(token.signature);
                       });
  }

  const std::vector<CallToken>& tokens_;
  absl::flat_hash_set<uint32_t> beside_;  // done in updates by an optimizer
};

}  // namespace

std::vector<TokenSpan> JoinSideUpdates(const std::vector<CallToken>& tokens,
                                       const std::vector<TokenSpan>& spans) {
  return SideUpdates(tokens, spans).Joined(spans);
}

}  // namespace dltap::analyzer
