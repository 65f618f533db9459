// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_RECOMPUTE_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_RECOMPUTE_H_

#include <vector>

#include "analyzer/attribution/direction/submitted_work.h"

namespace dltap::analyzer {

// Activation checkpointing runs parts of the forward pass again inside the
// backward pass. Returns one flag per submission: whether it belongs to a run
// of kernels, submitted in the backward pass, that repeats one of the forward
// pass kernel for kernel (same name and launch, same operation), holds nothing
// that is backward by its own call or name, and at least one kernel that is
// forward by it, or is four kernels long with a product or convolution.
std::vector<bool> FindRecompute(const SubmittedWork& work);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_RECOMPUTE_H_
