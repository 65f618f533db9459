// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_CPU_PASSES_H_
#define DLTAP_ANALYZER_METRICS_IDLE_CPU_PASSES_H_

#include <cstdint>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// CPU samples of one feeder's threads that are close together.
struct CpuPass {
  int64_t at_ns = 0;
  int64_t cpu_ns = 0;          // since the pass before
  int64_t run_delay_ns = 0;    // the same
  bool has_run_delay = false;  // of all of them
  bool runnable = false;
};

// All of them, in time.
std::vector<CpuPass> CpuPassesOf(const Process& process,
                                 const std::vector<ThreadId>& threads);

// A wait for a CPU is counted when it ends, and may be as long as the time
// between two passes. Where threads wait, a tenth of a second is one period: of
// its waits fewer reach over its ends.
void JoinWherePreempted(std::vector<CpuPass>& passes);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_CPU_PASSES_H_
