// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_WARM_UP_H_
#define DLTAP_ANALYZER_METRICS_STEPS_WARM_UP_H_

#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// Leaves out the steps in which the program warms up: the first one, slow ones
// behind it, and what is slow before the first passes forward. Not where
// markers tell the steps.
void MarkWarmUp(Steps& steps);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_WARM_UP_H_
