// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SWITCHED_OFF_H_
#define DLTAP_ANALYZER_METRICS_SWITCHED_OFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metrics/cpu_split.h"
#include "analyzer/metrics/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// When no thread of a feeder had a CPU, and why, by the context switches that
// the kernel told. One that runs is enough for the feeder to run; of those that
// don't, one that is preempted for it to be preempted.
class SwitchedOff {
 public:
  SwitchedOff(const Process& process, const std::vector<ThreadId>& threads);

  // nullopt: the switches of a thread that had begun then are not known
  // throughout. `near`: where the last question was answered.
  std::optional<CpuSplit> Split(Interval part, size_t& near) const;

 private:
  struct Off {
    Interval span;
    bool preempted;
  };

  std::vector<Interval> known_;  // of all its threads; disjoint, in time
  std::vector<Off> off_;         // disjoint, in time
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SWITCHED_OFF_H_
