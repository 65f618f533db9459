// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_RUNS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_RUNS_H_

#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/attribution/xla/xla_passes.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Gives kernels of XLA a direction where no path tells one, by their place in
// the runs of modules; only in a program that differentiates.
//  - In a run with a backward pass, what comes before the last layer that is
//    told to be forward in front of the first backward one, or before the
//    softmax behind it, is forward, but for factors (one block), and for sums
//    and scatters without a path: they may be gradients for which labels are
//    enough, unless layers that are told to be forward stand around them.
//  - Between layers that are told to be backward, layers are: products whose
//    path ends in the scope that they share with the update of their weights,
//    and, if nothing is computed again, fusions over rows (but for those of the
//    loss's size, which may be its value). Behind the last one so are such
//    products, if no update holds layers, and scatters.
//  - Between them so are sums without a path, if the update has none of its
//    own, and, if nothing is computed again, maps that write neither sums nor
//    differences, or have the size of features. What writes both is the update.
//  - Where all that was not differentiated behind backward work and the last
//    layer forward only adds, it sums up gradients, and is backward.
//  - Else it is the update, and so is what comes behind a run's last backward
//    work and that of layers, but for few sums, scatters (gradients) and single
//    numbers (the loss). Where a loop sums up gradients, only what is done once
//    is. What else lies between stays open.
//  - One fusion of a loop has one direction.
//  - Other runs are forward if they hold work of layers, or follow such a run
//    or an input or random numbers; behind a run with a backward pass they are
//    the update, as where the program applies gradients by itself. Where no
//    layer has a path, they stay open, for they may be of any pass, and so do
//    those behind the last layer forward of a module that has a backward pass
//    in other runs: it is cut.
void DecideInXlaRuns(const TraceModel& model, const Process& process,
                     const XlaPasses& xla_passes,
                     const std::vector<Submission>& order,
                     ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_RUNS_H_
