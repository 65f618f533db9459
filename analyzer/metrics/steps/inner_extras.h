// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_INNER_EXTRAS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_INNER_EXTRAS_H_

#include <cstdint>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// Iterations that do, call by call, what most do, and a little more between two
// products of that: what an episode that ends was worth. Nothing stands in
// front of them, also where their passes are too many.
class InnerExtras {
 public:
  InnerExtras(const std::vector<CallToken>& tokens,
              const std::vector<TokenSpan>& spans);

  bool AreIn(const TokenSpan& span) const;

 private:
  const std::vector<CallToken>& tokens_;
  TokenSpan usual_;  // empty: no calls are most iterations'
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_INNER_EXTRAS_H_
