// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PATH_CRITICAL_PATH_H_
#define DLTAP_ANALYZER_METRICS_PATH_CRITICAL_PATH_H_

#include <vector>

#include "analyzer/metrics/path/path_sums.h"
#include "analyzer/metrics/path/step_graph.h"

namespace dltap::analyzer {

// Of one device's windows: sums to their length.
PathSums CriticalPath(const StepGraph& graph, const Process& process,
                      const ProcessAttribution& attribution, DeviceId device,
                      const std::vector<StepWindow>& windows);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PATH_CRITICAL_PATH_H_
