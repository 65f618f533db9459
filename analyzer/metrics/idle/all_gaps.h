// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_ALL_GAPS_H_
#define DLTAP_ANALYZER_METRICS_IDLE_ALL_GAPS_H_

#include <functional>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/idle/host_view.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The gaps in all of `windows`. Those that are not judged have causes only, and
// the others are as if FindGaps had been asked for them alone.
void FindAllGaps(const Process& process, const ProcessAttribution& attribution,
                 const Steps& steps, const HostView& host, DeviceId device,
                 const std::vector<StepWindow>& windows,
                 const std::function<bool(const StepWindow&)>& is_judged,
                 const std::function<void(const Gap&)>& visit);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_ALL_GAPS_H_
