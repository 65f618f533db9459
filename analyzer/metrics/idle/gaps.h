// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_GAPS_H_
#define DLTAP_ANALYZER_METRICS_IDLE_GAPS_H_

#include <functional>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/idle/host_view.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// `visit` gets the gaps in `windows`, in time; `windows` are those of
// StepWindows for the same steps, `host` of the device. A gap whose call is not
// known is kUnknown; one that no activity ends (the last of a window) too.
// Of a part of a run: `earlier` are the windows before those, whose gaps
// `visit_earlier` gets first.
FeedersWork FindGaps(
    const Process& process, const ProcessAttribution& attribution,
    const Steps& steps, const HostView& host, DeviceId device,
    const std::vector<StepWindow>& windows,
    const std::function<void(const Gap&)>& visit,
    const std::vector<StepWindow>& earlier = {},
    const std::function<void(const Gap&)>& visit_earlier = [](const Gap&) {});

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_GAPS_H_
