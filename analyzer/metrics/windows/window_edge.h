// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_WINDOW_EDGE_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_WINDOW_EDGE_H_

#include <cstdint>

#include "analyzer/metrics/windows/device_order.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What happens on a device when a window begins or ends.
struct WindowEdge {
  int64_t at_ns;
  uint32_t work = kNoWork;  // begins then, ends or runs; kNoWork: none of it
  bool begins = false;
};

// Work that begins comes first, then what ends, unless `is_begin`, then what
// runs.
WindowEdge EdgeAt(const Process& process, DeviceId device, int64_t at_ns,
                  bool is_begin);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_WINDOW_EDGE_H_
