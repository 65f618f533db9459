// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_HOST_ACTIVITY_H_
#define DLTAP_ANALYZER_METRICS_HOST_ACTIVITY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/window.h"
#include "analyzer/model/trace_model.h"
#include "vocabulary.h"

namespace dltap::analyzer {

// What the host threads of one process did at a time. Holds references.
class HostActivity {
 public:
  HostActivity(const TraceModel& model, const Process& process,
               const ProcessAttribution& attribution);

  // The thread that began the process's last outermost call before `at_ns`.
  ThreadId LastCallerBefore(int64_t at_ns) const;

  // Whether a synchronizing call of `thread` is open in, or returned inside,
  // the interval and had begun before `before_ns`.
  bool WaitedIn(ThreadId thread, Interval span, int64_t before_ns) const;

  // Share of the interval during which a thread that submits work was on a
  // CPU, from the samples around it; nullopt without samples.
  std::optional<double> OnCpuShare(Interval span) const;

  // Outermost calls of `thread` that began inside the interval.
  int64_t CallsIn(ThreadId thread, Interval span) const;

  specs::Kind KindOf(const Call& call) const;
  bool IsLibraryCall(const Call& call) const;

 private:
  bool IsBlocking(const Call& call) const;

  const TraceModel& model_;
  const Process& process_;
  std::vector<size_t> outermost_by_begin_;    // calls
  std::vector<std::vector<size_t>> waits_;    // per thread, by begin
  std::vector<std::vector<int64_t>> begins_;  // per thread, outermost
  struct CpuPoint {
    int64_t at_ns;
    int64_t cpu_ns;
  };
  std::vector<std::vector<CpuPoint>> cpu_;  // per thread
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_HOST_ACTIVITY_H_
