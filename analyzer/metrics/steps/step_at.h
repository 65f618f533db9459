// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_STEP_AT_H_
#define DLTAP_ANALYZER_METRICS_STEPS_STEP_AT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The step in which the host was at `at_ns`; nullopt: in none.
std::optional<size_t> StepAt(const Steps& steps, int64_t at_ns);

// The step in which the host made the call; nullopt: in none, or no call.
std::optional<size_t> SubmittedIn(const Process& process, const Steps& steps,
                                  CallId call);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_STEP_AT_H_
