// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_WORK_FLASH_WORK_H_
#define DLTAP_ANALYZER_ATTRIBUTION_WORK_FLASH_WORK_H_

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Adds the FLOPs of FlashAttention 2 to attribution.launch_works, where they
// are certain. Names tell tiles, head size, mask, and that lengths are whole
// tiles. The grid of a forward kernel has the queries, that of a backward one
// the keys, that of the kernel before it the queries. So a backward pass is
// known by itself, and a forward one if all backward passes of as many queries
// and heads have as many keys, and are no fewer than the forward ones: one
// without a backward pass may have any. Needs directions, for what is computed
// again.
void AddFlashWorks(const TraceModel& model, const Process& process,
                   ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_WORK_FLASH_WORK_H_
