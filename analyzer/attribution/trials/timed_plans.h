// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_TRIALS_TIMED_PLANS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_TRIALS_TIMED_PLANS_H_

#include <span>
#include <vector>

#include "analyzer/attribution/trials/host_work.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Marks the calls of one thread by which an imported operator times
// implementations: inside it, events enclose kernels twice or more (cuDNN's
// benchmark mode: each plan runs once to warm up, then between two events).
// What else it runs is its work: a backward pass that tries twice runs twice.
void MarkTimedPlans(const Process& process, std::span<const HostWork> works,
                    std::vector<bool>& is_trial);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_TRIALS_TIMED_PLANS_H_
