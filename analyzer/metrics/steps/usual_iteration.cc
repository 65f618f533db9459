// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/usual_iteration.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/metrics/steps/token_spans.h"

namespace dltap::analyzer {
namespace {

constexpr double kUsualShare = 0.6;  // of the iterations are equal
// Or so many are, and all others end with such a one.
constexpr double kOftenShare = 0.4;
// Or so many of each of several models are, and the first share of all.
constexpr double kByTurnsShare = 0.15;

size_t FirstProduct(const std::vector<CallToken>& tokens,
                    const TokenSpan& span) {
  size_t i = span.first;
  while (i < span.end && !tokens[i].product) ++i;
  return i;
}

bool EndsWith(const std::vector<uint32_t>& products,
              const std::vector<uint32_t>& end) {
  return end.size() <= products.size() &&
         std::equal(end.rbegin(), end.rend(), products.rbegin());
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
  absl::flat_hash_map<size_t, Row> by_hash;
  for (const TokenSpan& span : spans) {
    std::vector<uint32_t> products = ProductsOf(tokens_, span);
    Row& row = by_hash[absl::HashOf(products)];
    const size_t offset = FirstProduct(tokens, span) - span.first;
    // What else stands in front of some is no part of the iteration.
    row.offset = row.count == 0 ? offset : std::min(row.offset, offset);
    if (row.count++ > 0) continue;
    row.products = std::move(products);
    row.passes = PassesOf(span);
  }
  std::vector<Row> rows;
  for (auto& [hash, row] : by_hash) {
    if (row.count >= kMinRepeats && !row.products.empty())
      rows.push_back(std::move(row));
  }
  // Of two rows one may be the end of the other: the longer ones first.
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    return a.products.size() != b.products.size()
               ? a.products.size() > b.products.size()
               : a.products > b.products;
  });
  rows_ = UsualOne(rows, spans);
  if (rows_.empty()) rows_ = UsualOnes(std::move(rows), spans.size());
}

std::vector<UsualIteration::Row> UsualIteration::UsualOne(
    const std::vector<Row>& rows, const std::vector<TokenSpan>& spans) const {
  const auto n = static_cast<double>(spans.size());
  for (const Row& row : rows) {
    const auto count = static_cast<double>(row.count);
    if (count < kOftenShare * n) continue;
    const bool is_usual =
        count >= kUsualShare * n ||
        std::ranges::all_of(spans, [&](const TokenSpan& span) {
          return BeginOf(row, span).has_value();
        });
    if (is_usual) return WithOthers(row, rows, n);
  }
  return {};
}

// Also the rows of what takes turns with it, and has no more than it in front.
std::vector<UsualIteration::Row> UsualIteration::WithOthers(
    const Row& usual, const std::vector<Row>& rows, double n_spans) {
  std::vector<Row> out;
  for (const Row& row : rows) {
    const bool is_usual = &row == &usual;
    if (is_usual ||
        (static_cast<double>(row.count) >= kByTurnsShare * n_spans &&
         !EndsWith(row.products, usual.products) &&
         !EndsWith(usual.products, row.products))) {
      out.push_back(row);
    }
  }
  return out;
}

// Models that are trained by turns have a row each.
std::vector<UsualIteration::Row> UsualIteration::UsualOnes(
    std::vector<Row> rows, size_t n_spans) {
  const auto n = static_cast<double>(n_spans);
  std::erase_if(rows, [n](const Row& row) {
    return static_cast<double>(row.count) < kByTurnsShare * n;
  });
  size_t count = 0;
  for (const Row& row : rows) count += row.count;
  if (static_cast<double>(count) < kUsualShare * n) rows.clear();
  return rows;
}

std::optional<size_t> UsualIteration::BeginOf(const TokenSpan& span) const {
  std::optional<size_t> inside;
  for (const Row& row : rows_) {
    const std::optional<size_t> begin = BeginOf(row, span);
    if (begin == span.first) return begin;
    if (!inside) inside = begin;
  }
  return inside;
}

std::optional<size_t> UsualIteration::BeginOf(const Row& row,
                                              const TokenSpan& span) const {
  size_t missing = row.products.size();
  size_t begin = span.end;
  while (missing > 0 && begin > span.first) {
    const CallToken& token = tokens_[--begin];
    if (!token.product) continue;
    if (token.signature != row.products[missing - 1]) return std::nullopt;
    --missing;
  }
  if (missing > 0) return std::nullopt;
  if (FirstProduct(tokens_, span) == begin) return span.first;
  size_t before = begin;
  while (before > span.first && !tokens_[before - 1].product) --before;
  begin = BeginBehind(before, begin, row.offset);
  // The update is made of those gradients, too.
  const bool has_gradients =
      AnyOf(tokens_, {span.first, begin}, &CallToken::backward);
  if (has_gradients && !IsOneRunBehindResult(begin, span.end) &&
      !AreReadAndDeriveLess({span.first, begin})) {
    return std::nullopt;
  }
  return begin;
}

// Where the iteration begins whose first product is `product`, behind passes
// that compute up to `passes_end`. What usually comes before that product, as
// an average of the weights, may have been done in front of the passes: where
// it has no room behind them, what the host reads ends them. Graphs run in any
// order: more than usual may come before the product.
size_t UsualIteration::BeginBehind(size_t passes_end, size_t product,
                                   size_t offset) const {
  const std::optional<size_t> tail = EndOfTail(tokens_, passes_end, product);
  const size_t room = product - passes_end;
  if (room < offset) return tail.value_or(passes_end);
  return std::min(product - offset, tail.value_or(product));
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

bool UsualIteration::EndsForward(const TokenSpan& span) const {
  size_t i = span.end;
  while (i > span.first && !tokens_[i - 1].product) --i;
  return i > span.first && !tokens_[i - 1].backward;
}

// Whether none of `passes` has half the gradients of what teaches the weights:
// these are adapted, as they are in front of that, too.
bool UsualIteration::DeriveLittle(const std::vector<Pass>& passes) const {
  size_t most = 0;
  for (const Row& row : rows_) {
    for (const Pass& pass : row.passes) most = std::max(most, pass.backward);
  }
  return std::ranges::all_of(
      passes, [most](const Pass& pass) { return 2 * pass.backward < most; });
}

// Whether the host reads what comes of `front` and its passes are those of the
// iterations with fewer gradients: not of the weights. An evaluation of forces,
// or of an equation, derives by its input alone. So it is with weights that are
// adapted to a task before what they give is read.
bool UsualIteration::AreReadAndDeriveLess(const TokenSpan& front) const {
  if (front.end == front.first || !tokens_[front.end - 1].d2h) return false;
  const std::vector<Pass> passes = PassesOf(front);
  if (EndsForward(front) && DeriveLittle(passes)) return true;
  return std::ranges::all_of(passes, [this](const Pass& pass) {
    return std::ranges::any_of(rows_, [&pass](const Row& row) {
      return std::ranges::any_of(row.passes, [&pass](const Pass& usual) {
        return pass.forward == usual.forward && pass.backward < usual.backward;
      });
    });
  });
}

bool UsualIteration::MayBreakOffIn(const TokenSpan& span) const {
  if (rows_.empty()) return true;
  const std::vector<uint32_t> begun = ProductsOf(tokens_, span);
  return std::ranges::any_of(rows_, [&begun](const Row& row) {
    return begun.size() <= row.products.size() &&
           std::equal(begun.begin(), begun.end(), row.products.begin());
  });
}

std::vector<UsualIteration::Pass> UsualIteration::PassesOf(
    const TokenSpan& span) const {
  std::vector<Pass> passes;
  Pass pass;
  for (size_t i = span.first; i < span.end; ++i) {
    const CallToken& token = tokens_[i];
    if (!token.product) continue;
    if (token.backward) {
      ++pass.backward;
      continue;
    }
    if (pass.backward > 0) passes.push_back(std::exchange(pass, {}));
    pass.forward.push_back(token.signature);
  }
  if (pass.backward > 0) passes.push_back(std::move(pass));
  return passes;
}

}  // namespace dltap::analyzer
