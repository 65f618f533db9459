// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_TOKEN_SPANS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_TOKEN_SPANS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// The tokens of [first, end).
inline std::span<const CallToken> TokensOf(const std::vector<CallToken>& tokens,
                                           const TokenSpan& span) {
  return std::span(tokens).subspan(span.first, span.end - span.first);
}

// Whether any of them has `flag`, and how many do.
inline bool AnyOf(const std::vector<CallToken>& tokens, const TokenSpan& span,
                  bool CallToken::*flag) {
  return std::ranges::any_of(TokensOf(tokens, span), flag);
}
inline size_t CountOf(const std::vector<CallToken>& tokens,
                      const TokenSpan& span, bool CallToken::*flag) {
  return static_cast<size_t>(
      std::ranges::count_if(TokensOf(tokens, span), flag));
}

// The signatures of their products, in order.
inline std::vector<uint32_t> ProductsOf(const std::vector<CallToken>& tokens,
                                        const TokenSpan& span) {
  std::vector<uint32_t> products;
  for (const CallToken& token : TokensOf(tokens, span)) {
    if (token.product) products.push_back(token.signature);
  }
  return products;
}

// The same by number.
inline std::vector<uint32_t> SortedProducts(
    const std::vector<CallToken>& tokens, const TokenSpan& span) {
  std::vector<uint32_t> products = ProductsOf(tokens, span);
  std::ranges::sort(products);
  return products;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_TOKEN_SPANS_H_
