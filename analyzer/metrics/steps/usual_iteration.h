// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_USUAL_ITERATION_H_
#define DLTAP_ANALYZER_METRICS_STEPS_USUAL_ITERATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// Where what began before `first` ends, in [first, next], if forward work of
// something else is at `next`: behind what the host reads, else in front of a
// batch. nullopt: neither shows.
std::optional<size_t> EndOfTail(const std::vector<CallToken>& tokens,
                                size_t first, size_t next);

// The row of products that most iterations have in common, forward and
// backward; or that many have and all others end with; or, where models are
// trained by turns, the rows that most have. An iteration that ends
// with it and has more passes forward in front of it follows something else,
// whatever that is made of.
class UsualIteration {
 public:
  // Without such a row (lengths that vary) nothing is ever known.
  UsualIteration(const std::vector<CallToken>& tokens,
                 const std::vector<TokenSpan>& spans);

  // Where the usual iteration begins inside `span`: `span.first` where no
  // product stands in front of it. nullopt: the span does not end with one, or
  // what stands in front of it goes backward too, and its gradients may be
  // among those of the iteration.
  std::optional<size_t> BeginOf(const TokenSpan& span) const;

  // Whether `span` may be the begin of an iteration. True if nothing is usual.
  bool MayBreakOffIn(const TokenSpan& span) const;

 private:
  using Products = std::vector<uint32_t>;  // their signatures

  struct Pass {
    Products forward;
    size_t backward = 0;  // products behind them
  };

  struct Row {
    Products products;
    std::vector<Pass> passes;  // that go backward
    size_t count = 0;          // of the iterations that have it
    size_t offset = 0;         // of the first, from the begin of the iteration
  };

  std::vector<Row> UsualOne(const std::vector<Row>& rows,
                            const std::vector<TokenSpan>& spans) const;
  static std::vector<Row> WithOthers(const Row& usual,
                                     const std::vector<Row>& rows,
                                     double n_spans);
  static std::vector<Row> UsualOnes(std::vector<Row> rows, size_t n_spans);
  std::optional<size_t> BeginOf(const Row& row, const TokenSpan& span) const;
  size_t BeginBehind(size_t passes_end, size_t product, size_t offset) const;
  bool AreReadAndDeriveLess(const TokenSpan& front) const;
  bool EndsForward(const TokenSpan& span) const;
  bool DeriveLittle(const std::vector<Pass>& passes) const;
  std::vector<Pass> PassesOf(const TokenSpan& span) const;
  bool IsOneRunBehindResult(size_t begin, size_t end) const;

  const std::vector<CallToken>& tokens_;
  std::vector<Row> rows_;  // the longest first
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_USUAL_ITERATION_H_
