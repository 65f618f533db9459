// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_CHANGES_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_CHANGES_H_

#include <utility>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/memory/memory.h"
#include "analyzer/metrics/memory/memory_blocks.h"
#include "analyzer/metrics/memory/memory_level.h"
#include "analyzer/metrics/windows/physical_device.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// All that changes the memory of one device, or memory whose device is not
// known, by the processes that use it.
struct DeviceChanges {
  DeviceMemory out;                   // what needs no account of the changes
  std::vector<DeviceMember> members;  // a process once
  std::vector<MemoryChange> held;
  std::vector<MemoryChange> tensors;
  std::vector<MemoryChange> managed;
  std::vector<std::pair<size_t, MemoryBlock>> blocks;  // by process
  std::vector<std::pair<size_t, FailedAllocation>> failed;
};

// Orders changes in time.
void SortInTime(std::vector<MemoryChange>& changes);

// Those of all selected processes and devices. `out` gets the rest: what is
// pinned inside `span`, and who tells no addresses.
std::vector<DeviceChanges> GatherMemory(const TraceModel& model,
                                        const Attribution& attribution,
                                        const Selection& selection,
                                        Interval span, MemorySummary& out);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_CHANGES_H_
