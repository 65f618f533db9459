// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_SUBMISSIONS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_SUBMISSIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// One activity at its place in the program.
struct Submission {
  int64_t at_ns;    // of the host
  size_t activity;  // index; of a captured call: the first of its replays
  bool captured;    // the program came here once, to capture it
};

// All activities in the order in which the host came to them: those of a graph
// stand once where their call was captured, and again at each replay.
std::vector<Submission> SubmissionOrder(const Process& process,
                                        const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_SUBMISSIONS_H_
