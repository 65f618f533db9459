// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_XLA_RUNS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_XLA_RUNS_H_

#include <vector>

#include "analyzer/attribution/attributed.h"
#include "analyzer/attribution/submissions.h"
#include "analyzer/attribution/xla_passes.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Gives kernels of XLA a direction where no path tells one, by their place in
// the runs of modules; only in a program that differentiates:
//  - In a run with a backward pass, what comes before its first work and the
//    last layer forward is forward, but for factors (one block); what comes
//    behind its last work and that of layers is the update, but for sums and
//    scatters without a path. What lies between stays open.
//  - Other runs are forward if they hold work of layers, or follow such a run
//    or an input; behind a run with a backward pass they are the update, as
//    where the program applies gradients by itself. Where layers have no path,
//    which may be of any pass, they stay open, and so do those behind the last
//    layer forward of a module that has a backward pass in other runs: it is
//    cut.
void DecideInXlaRuns(const TraceModel& model, const Process& process,
                     const XlaPasses& xla_passes,
                     const std::vector<Submission>& order,
                     ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_XLA_RUNS_H_
