// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_QUEUE_DEPTH_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_QUEUE_DEPTH_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a device still had to do when the host submitted more, as sums over the
// submitting calls; METRICS.md "Queue depth".
struct QueueDepth {
  uint64_t submissions = 0;  // calls that submitted, in the windows
  uint64_t unfinished = 0;   // activities submitted before, not finished
  uint64_t waiting = 0;      // of these, not begun
  uint64_t empty = 0;        // submissions that found nothing unfinished

  void Add(const QueueDepth& other);

  auto operator<=>(const QueueDepth&) const = default;
};

// Of the submissions whose first activity begins in one of the windows.
// Activities whose call is not known are left out.
QueueDepth QueueDepthOf(const Process& process,
                        const ProcessAttribution& attribution, DeviceId device,
                        const std::vector<StepWindow>& windows);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_QUEUE_DEPTH_H_
