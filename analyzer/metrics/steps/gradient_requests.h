// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_GRADIENT_REQUESTS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_GRADIENT_REQUESTS_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/loop_finder.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// Requests that are answered by several gradients each and teach no weights: a
// model is attacked, or what it says is traced back to its input. Each begins
// with a batch that is copied to the device, and the host reads an array of it.
// `spans` are the iterations by gradients, and how many gradients there are is
// the other reading (`other_count`). Empty where optimizers run, where weights
// have gradients, or where one request in ten has less than two gradients or
// only values are read of it.
Loop GradientRequests(const std::vector<CallToken>& tokens,
                      const std::vector<TokenSpan>& spans);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_GRADIENT_REQUESTS_H_
