// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_UPDATE_PRODUCTS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_UPDATE_PRODUCTS_H_

#include <vector>

#include "analyzer/attribution/direction/submitted_work.h"

namespace dltap::analyzer {

// Some updates multiply matrices (orthogonal momentum, Shampoo), which looks
// like a forward pass. Returns one flag per submission: whether it lies between
// a backward pass and the last product of such an update. There is one if the
// layers' kernels between two backward passes are a row U and then F, those
// before the first backward pass; if U follows the last backward pass; and if U
// is no evaluation, which would begin like F, hold kernels that layers alone
// have (a norm's, which are others in an evaluation) or an activation right
// behind a product, take an input from the host behind an optimizer's kernels,
// or follow few of these (not of the backward passes, of which several make a
// batch) and be read by the host, or have none beside it. Some of the rows may
// hold others between those of U, or only some of U.
std::vector<bool> FindUpdateProducts(const SubmittedWork& work);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_UPDATE_PRODUCTS_H_
