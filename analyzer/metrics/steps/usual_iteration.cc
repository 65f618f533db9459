// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/usual_iteration.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {
namespace {

constexpr double kUsualShare = 0.6;  // of the iterations are equal
// Or so many are, and all others end with such a one.
constexpr double kOftenShare = 0.4;

size_t FirstProduct(const std::vector<CallToken>& tokens,
                    const TokenSpan& span) {
  size_t i = span.first;
  while (i < span.end && !tokens[i].product) ++i;
  return i;
}

}  // namespace

std::optional<size_t> EndOfTail(const std::vector<CallToken>& tokens,
                                size_t first, size_t next) {
  std::optional<size_t> batch;
  for (size_t i = next; i > first; --i) {
    const CallToken& token = tokens[i - 1];
    if (token.computes) continue;
    if (token.d2h) return i;
    if (token.h2d && !batch) batch = i - 1;
  }
  return batch;
}

UsualIteration::UsualIteration(const std::vector<CallToken>& tokens,
                               const std::vector<TokenSpan>& spans)
    : tokens_(tokens) {
  struct Alike {
    const TokenSpan* span = nullptr;
    size_t count = 0;
    size_t offset = 0;
  };
  absl::flat_hash_map<size_t, Alike> rows;
  for (const TokenSpan& span : spans) {
    Alike& alike = rows[absl::HashOf(ProductsOf(span))];
    const size_t offset = FirstProduct(tokens, span) - span.first;
    // What else stands in front of some is no part of the iteration.
    alike.offset = alike.count == 0 ? offset : std::min(alike.offset, offset);
    alike.span = &span;
    ++alike.count;
  }
  const auto n = static_cast<double>(spans.size());
  for (const auto& [hash, alike] : rows) {
    const auto count = static_cast<double>(alike.count);
    if (count < kOftenShare * n || alike.count < kMinRepeats) continue;
    std::vector<uint32_t> products = ProductsOf(*alike.span);
    // Of two rows that are as frequent one may be the end of the other.
    if (!products_.empty() && products_.size() <= products.size()) continue;
    const std::vector<uint32_t> before =
        std::exchange(products_, std::move(products));
    const size_t offset = std::exchange(offset_, alike.offset);
    const bool all_end_so = std::ranges::all_of(
        spans,
        [this](const TokenSpan& span) { return BeginOf(span).has_value(); });
    if (count >= kUsualShare * n || all_end_so) continue;
    products_ = before;
    offset_ = offset;
  }
}

std::optional<size_t> UsualIteration::BeginOf(const TokenSpan& span) const {
  if (products_.empty()) return std::nullopt;
  size_t missing = products_.size();
  size_t begin = span.end;
  while (missing > 0 && begin > span.first) {
    const CallToken& token = tokens_[--begin];
    if (!token.product) continue;
    if (token.signature != products_[missing - 1]) return std::nullopt;
    --missing;
  }
  if (missing > 0) return std::nullopt;
  if (FirstProduct(tokens_, span) == begin) return span.first;
  size_t before = begin;
  while (before > span.first && !tokens_[before - 1].product) --before;
  // Graphs run in any order: more than usual may come before the product.
  begin = std::min(begin - std::min(begin - span.first, offset_),
                   EndOfTail(tokens_, before, begin).value_or(begin));
  // The update is made of those gradients, too.
  const bool has_gradients =
      std::any_of(tokens_.begin() + static_cast<ptrdiff_t>(span.first),
                  tokens_.begin() + static_cast<ptrdiff_t>(begin),
                  [](const CallToken& token) { return token.backward; });
  if (has_gradients && !IsOneRunBehindResult(begin, span.end)) {
    return std::nullopt;
  }
  return begin;
}

// A run of a module gives the gradients of its own batch. One is enough for an
// iteration: what other runs gave, and the host read, is added to none.
bool UsualIteration::IsOneRunBehindResult(size_t begin, size_t end) const {
  if (begin == 0 || !tokens_[begin - 1].d2h) return false;
  uint32_t run = 0;
  for (size_t i = begin; i < end; ++i) {
    const CallToken& token = tokens_[i];
    if (!token.backward) continue;
    if (token.run == 0 || (run != 0 && run != token.run)) return false;
    run = token.run;
  }
  return run != 0;
}

bool UsualIteration::MayBreakOffIn(const TokenSpan& span) const {
  if (products_.empty()) return true;
  const std::vector<uint32_t> begun = ProductsOf(span);
  return begun.size() <= products_.size() &&
         std::equal(begun.begin(), begun.end(), products_.begin());
}

std::vector<uint32_t> UsualIteration::ProductsOf(const TokenSpan& span) const {
  std::vector<uint32_t> products;
  for (size_t i = span.first; i < span.end; ++i) {
    if (tokens_[i].product) products.push_back(tokens_[i].signature);
  }
  return products;
}

}  // namespace dltap::analyzer
