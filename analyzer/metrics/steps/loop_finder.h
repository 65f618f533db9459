// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_LOOP_FINDER_H_
#define DLTAP_ANALYZER_METRICS_STEPS_LOOP_FINDER_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/loop_marks.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

struct Loop {
  std::vector<TokenSpan> passes;
  // Of another loop, around these or inside them, where nothing but likeness
  // tells which of the two is meant; 0: none.
  size_t other_count = 0;
};

// The passes of the outermost loop of a program in which no update or backward
// pass tells steps apart: inference, decoding, programs whose kernels have no
// direction. Empty when nothing repeats kMinRepeats times.
//
// A call that recurs evenly, with alike calls between, may mark the loop. The
// rarest such call does, unless a more frequent one splits every pass into
// parts that have the same products: then what is rare is an extra. What comes
// before the first pass and after the last is in no span.
Loop LoopSteps(const std::vector<CallToken>& tokens,
               AlikeIn alike_in = AlikeIn::kKernels);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_LOOP_FINDER_H_
