// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/inner_extras.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "analyzer/metrics/steps/token_spans.h"

namespace dltap::analyzer {
namespace {

constexpr double kUsualShare = 0.6;  // of the iterations make the same calls
constexpr double kExtra = 0.5;       // of their products: more are passes

size_t Products(const std::vector<CallToken>& tokens, const TokenSpan& span) {
  return CountOf(tokens, span, &CallToken::product);
}

}  // namespace

InnerExtras::InnerExtras(const std::vector<CallToken>& tokens,
                         const std::vector<TokenSpan>& spans)
    : tokens_(tokens), usual_{} {
  absl::flat_hash_map<size_t, std::pair<size_t, TokenSpan>> counts;  // by hash
  for (const TokenSpan& span : spans) {
    std::vector<uint32_t> calls;
    std::ranges::transform(TokensOf(tokens, span), std::back_inserter(calls),
                           &CallToken::signature);
    auto& [count, example] = counts[absl::HashOf(calls)];
    ++count;
    example = span;
  }
  const double least = kUsualShare * static_cast<double>(spans.size());
  for (const auto& [hash, entry] : counts) {
    if (static_cast<double>(entry.first) >= least) usual_ = entry.second;
  }
}

bool InnerExtras::AreIn(const TokenSpan& span) const {
  const auto usual = TokensOf(tokens_, usual_);
  const auto calls = TokensOf(tokens_, span);
  if (usual.empty() || calls.size() <= usual.size()) return false;
  const auto same = [](const CallToken& a, const CallToken& b) {
    return a.signature == b.signature;
  };
  const auto begin = static_cast<size_t>(
      std::ranges::mismatch(usual, calls, same).in1 - usual.begin());
  const auto end = static_cast<size_t>(
      std::mismatch(usual.rbegin(), usual.rend(), calls.rbegin(), same).first -
      usual.rbegin());
  if (begin + end < usual.size() || end == usual.size()) return false;
  // The earliest place that it may have been put in.
  const size_t before = usual.size() - end;
  const size_t usual_products = Products(tokens_, usual_);
  const size_t more = Products(tokens_, span) - usual_products;
  return Products(tokens_, {usual_.first, usual_.first + before}) > 0 &&
         static_cast<double>(more) <=
             kExtra * static_cast<double>(usual_products);
}

}  // namespace dltap::analyzer
