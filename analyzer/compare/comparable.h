// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_COMPARABLE_H_
#define DLTAP_ANALYZER_COMPARE_COMPARABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/compare/layer_pairs.h"
#include "analyzer/compare/step_samples.h"
#include "analyzer/compare/unlike.h"
#include "analyzer/metrics/figures/warnings.h"

namespace dltap::analyzer {

// The ids of warnings that say that records are missing; empty: none are.
std::string LossesOf(const Side& side);

// In the order in which they are said. `least_steps` is how many used steps
// each must have.
std::vector<Unlike> FindUnlike(const Side& base, const Side& now,
                               const std::vector<LayerPair>& layers,
                               size_t least_steps);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_COMPARABLE_H_
