// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_RECORDS_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_RECORDS_H_

#include <cstdint>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Whether all kernels of the device that ended since `at_ns` are in the trace.
// A process that was killed lacks those after its last watermark; whether
// others have the end tells of them.
bool EndsAreRecordedSince(const Process& process, DeviceId device,
                          int64_t at_ns);

// All calls of the process since `from_ns` are in the trace up to then; later
// ones cannot be counted.
int64_t CallsKnownUntil(const Process& process, int64_t from_ns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_RECORDS_H_
