// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_LOOP_PASSES_H_
#define DLTAP_ANALYZER_METRICS_STEPS_LOOP_PASSES_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/loop_finder.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The passes of the loop of a program in which nothing else tells steps apart
// (loop_finder.h), and of the loops over other models around it. Passes that
// look alike but work on other weights are layers; the loop is where the same
// weights come again.
Loop PassesOfLoop(const TraceModel& model, const Process& process,
                  std::vector<CallToken> tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_LOOP_PASSES_H_
