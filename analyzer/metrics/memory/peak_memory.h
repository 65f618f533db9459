// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_PEAK_MEMORY_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_PEAK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The most that process `p` held of each of its devices, by ordinal, in the
// whole trace, as taken from the driver. A device has no entry where nothing
// was seen to be taken, or more was held than the trace tells.
std::map<int, int64_t> PeakMemory(const TraceModel& model,
                                  const Attribution& attribution, size_t p);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_PEAK_MEMORY_H_
