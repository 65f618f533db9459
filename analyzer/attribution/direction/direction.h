// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_DIRECTION_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_DIRECTION_H_

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/xla/xla_passes.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Settles the direction of every activity from the thread that submitted it (a
// replayed one: the call that was captured), what was submitted around it, and
// what its call or name says:
//  - Where a framework runs the backward pass on threads of its own
//    (`pt_autograd_N`) or marks it by ranges, that decides between forward and
//    backward: a transposed convolution's forward pass is what cuDNN calls
//    backward data. On the other threads, what lies between the end of a
//    backward pass and the next forward product or H2D copy is the update.
//  - Kernels of the backward pass that repeat a run of the forward pass are
//    recompute (recompute.h).
//  - Where XLA writes paths into its ranges, they tell (xla_passes.h).
//  - Elsewhere a direction is known from a call or a name, and for what lies
//    between two of one direction; at the turning points it stays kNone.
//  - Without any sign of a backward pass or an update all is forward, unless
//    the program is of a framework whose names would not show one (XLA,
//    TensorFlow).
// Copies, memsets and communication keep kNone.
void InferDirections(const TraceModel& model, const Process& process,
                     const XlaPasses& xla_passes,
                     ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_DIRECTION_H_
