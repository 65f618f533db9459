// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_CLEARED_GRADIENTS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_CLEARED_GRADIENTS_H_

#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/direction/submitted_work.h"

namespace dltap::analyzer {

// Fills that set gradients to zero, by submission: kUpdate; they stand in any
// pass and do not end it.
//  - Several right before a backward pass, but the last: that is the gradient
//    of the loss, kForward.
//  - Four or more in a row, if the next backward pass with products adds as
//  many
//    times, as it does to gradients that are there, and has three calls of
//    products at most for each of them (a recurrent layer's counts four).
//  - What a range of the optimizer's holds.
// kNone: all else, and replays. Fills with whole numbers clear nothing.
std::vector<Direction> FindClearedGradients(const SubmittedWork& work);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_CLEARED_GRADIENTS_H_
