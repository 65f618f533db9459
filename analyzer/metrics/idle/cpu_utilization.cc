// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/cpu_utilization.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

// A thread's CPU time is cumulative from its own begin, so that one that began
// between the samples of the process counts from 0.
std::vector<CpuTimes::OfThread> ThreadsOf(const Process& process,
                                          int64_t begin_ns, int64_t end_ns) {
  struct Range {
    std::optional<int64_t> first, last;
  };
  std::vector<Range> seen(process.threads.size());
  for (const CpuSample& sample : process.cpu_samples) {
    const size_t thread = sample.thread.value();
    if (thread >= seen.size() || sample.at_ns > end_ns) continue;
    if (sample.cpu_time_ns <= 0) continue;  // it had ended
    Range& range = seen[thread];
    if (!range.first || sample.at_ns <= begin_ns) {
      range.first = sample.cpu_time_ns;
    }
    range.last = std::max(range.last.value_or(0), sample.cpu_time_ns);
  }
  std::vector<CpuTimes::OfThread> out;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i].first) continue;
    out.push_back({process.threads[i].tid, process.threads[i].name,
                   std::max<int64_t>(0, *seen[i].last - *seen[i].first)});
  }
  return out;
}

}  // namespace

std::optional<CpuTimes> CpuTimesOf(const Process& process) {
  if (process.host_clock == HostClock::kFixedCosts) return std::nullopt;
  const std::vector<ProcessSample>& samples = process.process_samples;
  if (samples.size() < 2 || process.cpus <= 0) return std::nullopt;
  const ProcessSample& first = samples.front();
  const ProcessSample& last = samples.back();
  if (last.at_ns <= first.at_ns || last.cpu_time_ns < first.cpu_time_ns) {
    return std::nullopt;
  }
  CpuTimes out;
  out.cores = process.cpus;
  out.begin_ns = first.at_ns;
  out.wall_ns = last.at_ns - first.at_ns;
  out.cpu_ns = last.cpu_time_ns - first.cpu_time_ns;
  out.threads = ThreadsOf(process, first.at_ns, last.at_ns);
  out.unlisted_ns = out.cpu_ns;
  for (const CpuTimes::OfThread& thread : out.threads) {
    out.unlisted_ns -= thread.cpu_ns;
  }
  // The threads' samples are not of the very same instants.
  out.unlisted_ns = std::max<int64_t>(0, out.unlisted_ns);
  return out;
}

}  // namespace dltap::analyzer
