// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/peak_memory.h"

#include <limits>
#include <string>

#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/memory/memory_changes.h"

namespace dltap::analyzer {

std::map<int, int64_t> PeakMemory(const TraceModel& model,
                                  const Attribution& attribution, size_t p) {
  const Process& process = model.processes[p];
  Selection only;
  only.process = process.host + ":" + std::to_string(process.pid);
  const Interval always{std::numeric_limits<int64_t>::min(),
                        std::numeric_limits<int64_t>::max()};
  MemorySummary rest;
  std::map<int, int64_t> out;
  for (DeviceChanges& changes :
       GatherMemory(model, attribution, only, always, rest)) {
    if (!changes.out.ordinal || changes.out.is_least) continue;
    SortInTime(changes.held);
    const int64_t peak = LevelOf(changes.held, always, nullptr).peak_bytes;
    if (peak > 0) out[*changes.out.ordinal] = peak;
  }
  return out;
}

}  // namespace dltap::analyzer
