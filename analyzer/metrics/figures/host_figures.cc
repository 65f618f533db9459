// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/host_figures.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/metrics/base/disjoint.h"
#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

int64_t UnionNs(std::vector<Interval> intervals) {
  int64_t sum = 0;
  for (const Interval& interval : Disjoint(std::move(intervals))) {
    sum += interval.length_ns();
  }
  return sum;
}

// Processes of one host share its cores while they run.
std::optional<double> CpuUtilizationOf(const Summary& summary) {
  struct Host {
    int64_t cpu_ns = 0;
    int64_t cores = 0;
    std::vector<Interval> running;
  };
  std::map<std::string, Host> hosts;
  for (const ProcessSummary& process : summary.processes) {
    if (!process.cpu) continue;
    Host& host = hosts[process.key.host];
    host.cpu_ns += process.cpu->cpu_ns;
    host.cores = std::max(host.cores, process.cpu->cores);
    host.running.push_back(
        {process.cpu->begin_ns, process.cpu->begin_ns + process.cpu->wall_ns});
  }
  double used_ns = 0;
  double there_ns = 0;
  for (auto& [name, host] : hosts) {
    used_ns += static_cast<double>(host.cpu_ns);
    there_ns += static_cast<double>(host.cores) *
                static_cast<double>(UnionNs(std::move(host.running)));
  }
  return Ratio(used_ns, there_ns);
}

void AddQueue(const Summary& summary, HostFigures& out) {
  QueueDepth all;
  for (const DeviceSummary& device : summary.devices) {
    all.submissions += device.queue.submissions;
    all.unfinished += device.queue.unfinished;
    all.waiting += device.queue.waiting;
    all.empty += device.queue.empty;
  }
  const auto share = [&](uint64_t n) {
    return Ratio(static_cast<double>(n), static_cast<double>(all.submissions));
  };
  out.queue_unfinished = share(all.unfinished);
  out.queue_waiting = share(all.waiting);
  out.queue_empty_share = share(all.empty);
}

}  // namespace

HostFigures HostFiguresOf(const Summary& summary) {
  HostFigures out;
  out.cpu_utilization = CpuUtilizationOf(summary);
  AddQueue(summary, out);
  return out;
}

std::vector<Sensitivity> SensitivityRows(const Summary& summary,
                                         const std::vector<ClassRow>& classes) {
  if (!summary.has_delays()) return {};
  std::vector<DelayEffect> effects;
  for (const ProcessSummary& process : summary.processes) {
    effects.insert(effects.end(), process.delays.begin(), process.delays.end());
  }
  std::vector<LayerClass> seen;
  for (const ClassRow& row : classes) seen.push_back(row.layer_class);
  return SensitivitiesOf(std::move(effects), seen);
}

}  // namespace dltap::analyzer
