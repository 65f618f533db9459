// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_PASS_SIGNS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_PASS_SIGNS_H_

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Whether a process that has no threads of autograd goes backward: a direction
// was told by a call, an annotation or paths of XLA or TensorFlow, not inferred
// from what ran before.
bool ShowsABackwardPass(const TraceModel& model, const Process& process,
                        const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_PASS_SIGNS_H_
