// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_BLOCK_DEVICES_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_BLOCK_DEVICES_H_

#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/memory/memory_blocks.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Sets the device of blocks where the trace shows it: the process has but one;
// or calls with addresses inside the block put work on it (the device of most
// of them; copies between devices don't count); or what the thread submitted
// last before and first after it took the block went to one device.
// Whether library calls use memory that is in no block.
bool FindDevices(const TraceModel& model, const Process& process,
                 const ProcessAttribution& attribution,
                 std::vector<MemoryBlock>& blocks);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_BLOCK_DEVICES_H_
