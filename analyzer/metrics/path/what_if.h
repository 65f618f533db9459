// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PATH_WHAT_IF_H_
#define DLTAP_ANALYZER_METRICS_PATH_WHAT_IF_H_

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/base/speedup.h"
#include "analyzer/metrics/path/path_sums.h"
#include "analyzer/metrics/path/replay.h"

// Steps in which something is faster. METRICS.md "What if".
namespace dltap::analyzer {

// The words beside the names of classes.
std::vector<std::string> KnownSpeedups();
// False: there is no such thing.
bool Apply(const Speedup& speedup, TimeFactors& factors);

TimeFactors FactorsOf(const Scenario& scenario);

// What a path suggests: twice as fast and infinitely fast.
std::vector<Scenario> SuggestedScenarios(const PathSums& path);
// How many parts and activities are replayed for each scenario.
size_t MostReplayed(bool asked);

// One device's windows. Without scenarios: those that its path suggests.
WhatIfSums WhatIf(const StepGraph& graph, const Process& process,
                  const ProcessAttribution& attribution, DeviceId device,
                  const std::vector<StepWindow>& windows, const PathSums& path,
                  const std::vector<Scenario>& scenarios);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PATH_WHAT_IF_H_
