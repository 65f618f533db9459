// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_CALL_SIGNATURE_H_
#define DLTAP_ANALYZER_METRICS_CALL_SIGNATURE_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// One outermost call that put work on a device, reduced to what repeats from
// step to step: the function, and for launches the kernel.
struct CallToken {
  uint32_t signature;  // dense: equal calls, equal numbers
  int64_t begin_ns;
  int64_t end_ns;
  bool computes;  // it started a kernel, not only copies or memsets
  bool update;    // its work is of direction update
  bool autotune;  // its work was a trial
};

// All such calls of a process, in the order in which they began.
std::vector<CallToken> CallTokens(const Process& process,
                                  const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_CALL_SIGNATURE_H_
