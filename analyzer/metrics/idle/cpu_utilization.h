// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_CPU_UTILIZATION_H_
#define DLTAP_ANALYZER_METRICS_IDLE_CPU_UTILIZATION_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// CPU time of a process between its first and its last sample; METRICS.md "CPU
// utilization".
struct CpuTimes {
  struct OfThread {
    uint64_t tid = 0;
    std::string name;
    int64_t cpu_ns = 0;
    auto operator<=>(const OfThread&) const = default;
  };

  int64_t cores = 0;     // that it may run on
  int64_t begin_ns = 0;  // of the first sample, on the trace's time line
  int64_t wall_ns = 0;
  int64_t cpu_ns = 0;             // of all threads, our collector's too
  std::vector<OfThread> threads;  // those that submit work
  int64_t unlisted_ns = 0;        // of all others together

  auto operator<=>(const CpuTimes&) const = default;
};

// nullopt: there are no two samples, the cores are not known, or the trace's
// clock is not the one by which CPU time passes.
std::optional<CpuTimes> CpuTimesOf(const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_CPU_UTILIZATION_H_
