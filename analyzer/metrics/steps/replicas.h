// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_REPLICAS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_REPLICAS_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Where threads give the same work in the same order to a device of their own
// each, as XLA's do, a step is one of all: only the calls of the thread with
// the most of them stay, which begin as early as the others' if these come
// right before. So it is where most threads give work to any device, as
// TensorFlow's do, and the devices communicate and have the same calls, in any
// order.
std::vector<CallToken> WithoutReplicas(const Process& process,
                                       std::vector<CallToken> tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_REPLICAS_H_
