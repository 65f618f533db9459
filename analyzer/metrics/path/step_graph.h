// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PATH_STEP_GRAPH_H_
#define DLTAP_ANALYZER_METRICS_PATH_STEP_GRAPH_H_

#include <cstdint>
#include <vector>

#include "analyzer/metrics/idle/host_line.h"
#include "analyzer/metrics/windows/device_order.h"
#include "analyzer/metrics/windows/window.h"

// What had to be over before what, on the host's threads and on the devices of
// one process. METRICS.md "Critical path".
namespace dltap::analyzer {

// Work of a device begins `lag_ns` after `on` is over. Negative: before that.
struct Before {
  uint32_t on;
  int64_t lag_ns;
};

// One activity of the process, at the same index.
struct WorkNode {
  uint32_t line = kNoLine;  // whose host submitted it
  uint32_t part = 0;        // of that line; for a replay
  int64_t submitted_ns = 0;
  int64_t launch_lag_ns = 0;  // at least, from the submission to its begin
  uint32_t first_before = 0;  // into StepGraph::before
  uint32_t last_before = 0;   // one behind
  // The last thing to be ready before it began: work, or else the submission.
  uint32_t bound_by = kNoWork;
  int64_t ready_ns = 0;

  static constexpr uint32_t kNoLine = static_cast<uint32_t>(-1);
  bool submission_known() const { return line != kNoLine; }
};

// Longer than any latency: the work waited for something that is not known.
inline constexpr int64_t kMaxLagNs = 20'000;

struct StepGraph {
  std::vector<HostLine> lines;  // by feeder
  std::vector<WorkNode> works;
  std::vector<Before> before;
  std::vector<uint32_t> targets;           // of the host's waits: work
  uint32_t main_line = WorkNode::kNoLine;  // of the device that was asked for
};

// What it is for: who only follows it back needs no `before`, no lags and no
// shares of the host's parts.
enum class GraphUse : uint8_t { kPath, kReplay };

// `host`, of one device, says what counts as input, and whose line is the main
// one. The lines refer to it.
StepGraph GraphOf(const TraceModel& model, const Process& process,
                  const ProcessAttribution& attribution, const HostView& host,
                  GraphUse use);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PATH_STEP_GRAPH_H_
