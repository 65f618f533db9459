// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_H_

#include "analyzer/attribution/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Gives a direction to activities whose call or name does not tell it, from
// the thread that submitted them and what it submitted around them:
//  - a thread that autograd named (`pt_autograd_N`) runs the backward pass;
//  - on other threads everything is forward, but what lies between the end of
//    a backward pass and the next forward product or H2D copy is the update.
// Copies, memsets and communication keep kNone. Without any backward work in
// the process nothing is inferred: it may be inference or anything else.
void InferDirections(const Process& process, ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_H_
