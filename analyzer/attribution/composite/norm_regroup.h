// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_NORM_REGROUP_H_
#define DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_NORM_REGROUP_H_

#include <vector>

#include "analyzer/attribution/composite/composite_units.h"

namespace dltap::analyzer {

// Norms by the root of a mean square that a program writes itself, as most
// language models do (Zhang and Sennrich, "Root Mean Square Layer
// Normalization", 2019): x * rsqrt(mean(x * x) + eps) * weight. Forward, in one
// row: a power or a product, a mean, maybe a sum with one number, a reciprocal
// root, and one product or two, with casts between. Backward, in one row of
// products, sums and casts: a power right behind a sum, as the gradient of the
// root is, up to the sum of both gradients of x. An update has none.
//
// Those that subtract a mean, too (Ba et al., "Layer Normalization", 2016;
// norms of batches and groups): a mean, a variance (WelfordOps, or a mean of
// squares), a root, a division that broadcasts, then weight and bias. Backward,
// in one row: what is behind the sum of a row, as the gradient of the root is,
// up to the sum with the mean's gradient, which is divided by the row's length.
void RegroupNorms(const Process& process, const std::vector<Unit>& units,
                  ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_NORM_REGROUP_H_
