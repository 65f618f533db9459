// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_EFFICIENCY_H_
#define DLTAP_ANALYZER_METRICS_EFFICIENCY_H_

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/summary.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {

// The share of its work that one activity does: its part of the work's kernel
// time. Empty when the work is not known or the GPU is not in the table.
Efficiency EfficiencyOf(const ProcessAttribution& attribution,
                        const Attributed& attributed, int64_t duration_ns,
                        const opmodel::GpuSpec* gpu);

// What limits a class: the larger share of its two peaks when one is above
// kNearPeak, latency when its activities are too short to reach either.
LimitedBy LimitOf(LayerClass layer_class, const ClassSummary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_EFFICIENCY_H_
