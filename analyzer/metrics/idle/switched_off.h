// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_SWITCHED_OFF_H_
#define DLTAP_ANALYZER_METRICS_IDLE_SWITCHED_OFF_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/metrics/idle/cpu_split.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

struct ThreadCounts;

// When no thread of a feeder had a CPU, and why, by the context switches that
// the kernel told. One that runs is enough for the feeder to run, whatever is
// told of the others; of those that don't, one that is preempted for it to be
// preempted. That none runs is told only while the switches of all are known.
class SwitchedOff {
 public:
  SwitchedOff(const Process& process, const std::vector<ThreadId>& threads);

  struct Told {
    CpuSplit split;     // of what is told
    int64_t untold_ns;  // no switches tell of it
    int64_t unseen_ns;  // of that: a thread was there that has no samples
  };
  // `near`: where the last question was answered.
  Told Split(Interval part, size_t& near) const;

 private:
  enum class State : uint8_t { kRuns, kAsleep, kPreempted, kUntold, kUnseen };
  struct Segment {
    Interval span;
    State state;
  };

  static State StateOf(const ThreadCounts& threads);
  void Add(Interval span, State state);

  std::vector<Segment> segments_;  // of all states but kRuns; disjoint, in time
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_SWITCHED_OFF_H_
