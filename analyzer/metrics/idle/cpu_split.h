// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_CPU_SPLIT_H_
#define DLTAP_ANALYZER_METRICS_IDLE_CPU_SPLIT_H_

namespace dltap::analyzer {

// How much of a span the host was running, runnable or asleep.
struct CpuSplit {
  double running_ns = 0;
  double preempted_ns = 0;
  double blocked_ns = 0;
  double unknown_ns = 0;  // it did not run; no sample tells why
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_CPU_SPLIT_H_
