// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_TRIALS_TRIALS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_TRIALS_TRIALS_H_

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Sets Attributed::autotune of the trials by which a library or compiler
// chooses an implementation, whatever API makes them. On one thread:
//  - a fill that clears the cache, an event, the same few kernels, an event,
//    at least three times in a row (Triton, Inductor), and the same calls
//    right before, if no other thread computes meanwhile and other kernels
//    run again and again outside of them: else it is a benchmark;
//  - what lies between XLA's checks of a trial's output and its delays;
//  - one operation of the same size by at least three implementations in a
//    row, or two if events time each; the last of them is no trial;
//  - what an imported operator times inside itself (timed_plans.h).
// If nothing else computes, they are the program, and none is a trial.
void MarkTrials(const TraceModel& model, const Process& process,
                ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_TRIALS_TRIALS_H_
