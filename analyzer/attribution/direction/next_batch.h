// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_NEXT_BATCH_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_NEXT_BATCH_H_

#include <vector>

#include "analyzer/attribution/direction/submitted_work.h"

namespace dltap::analyzer {

// Where the forward pass begins with pointwise work: by submission, whether it
// does there. What follows a backward pass is called its row here.
//  - Where an optimizer's kernels follow some backward passes, a row without
//    them has an update only if it does the same operation on elements half as
//    often as products went backward: for each weight. Nor has one whose
//    operations end with a sum, one with a loss, or one up to the next backward
//    pass: they compute what goes backward next.
//  - Random numbers, and numbers in order, behind the optimizer's last kernel,
//    or in a row without any, make the next batch; so do fills with whole
//    numbers (labels, the state of a graph's random numbers), and what a whole
//    row without update ends another one with.
//  - What lies between the optimizer's last kernel and the next backward pass
//    computes its loss, where no layer does.
std::vector<bool> FindNextBatches(const SubmittedWork& work);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_NEXT_BATCH_H_
