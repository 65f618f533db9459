// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_USUAL_ITERATION_H_
#define DLTAP_ANALYZER_METRICS_USUAL_ITERATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/metrics/call_signature.h"
#include "analyzer/metrics/step.h"

namespace dltap::analyzer {

// The row of products that most iterations have in common, forward and
// backward. An iteration that ends with it and has more passes forward in
// front of it follows something else, whatever that is made of.
class UsualIteration {
 public:
  // Without such a row (lengths that vary) nothing ever stands in front.
  UsualIteration(const std::vector<CallToken>& tokens,
                 const std::vector<TokenSpan>& spans);

  // Where the usual iteration begins inside `span`; `span.first` where nothing
  // stands in front of it, or the span does not end with one.
  size_t BeginOf(const TokenSpan& span) const;

  // Whether `span` may be the begin of an iteration. True if nothing is usual.
  bool MayBreakOffIn(const TokenSpan& span) const;

 private:
  std::vector<uint32_t> ProductsOf(const TokenSpan& span) const;

  const std::vector<CallToken>& tokens_;
  std::vector<uint32_t> products_;  // their signatures
  size_t offset_ = 0;  // of the first, from the begin of the iteration
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_USUAL_ITERATION_H_
