// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DRAW_DEVICE_H_
#define DLTAP_ANALYZER_METRICS_DRAW_DEVICE_H_

#include <vector>

#include "analyzer/metrics/pictures.h"

namespace dltap::analyzer {

// Draws one device. `steps` are all of its processes'; empty: the view's
// windows are the run.
void DrawDevice(const TraceModel& model, const DeviceView& view,
                std::vector<MarkedWindow> steps,
                const std::vector<ProcessKey>& processes, Pictures& out);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DRAW_DEVICE_H_
