// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PICTURES_DRAW_DEVICE_H_
#define DLTAP_ANALYZER_METRICS_PICTURES_DRAW_DEVICE_H_

#include <vector>

#include "analyzer/metrics/pictures/pictures.h"

namespace dltap::analyzer {

// Draws one device, whose processes and series are those of `summary`. `steps`
// are all of its processes'; empty: the view's windows are the run.
void DrawDevice(const TraceModel& model, const DeviceView& view,
                const DeviceSummary& summary, std::vector<MarkedWindow> steps,
                Pictures& out);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PICTURES_DRAW_DEVICE_H_
