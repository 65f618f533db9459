// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_STEP_LENGTHS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_STEP_LENGTHS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dltap::analyzer {

// How many iterations each step has, for the kinds of a run's iterations and
// the period `parts` with which most of them recur. Where some do not, because
// a discriminator joins a generator late or a critic trains longer at first,
// the steps are those that tell the run in the fewest words: g g g dg dg, not
// gg gd gd. A last step that breaks off has the length of the one before,
// beyond the end of the run.
std::vector<size_t> StepLengths(std::span<const uint32_t> kinds, size_t parts);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_STEP_LENGTHS_H_
