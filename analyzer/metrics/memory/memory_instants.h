// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_INSTANTS_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_INSTANTS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/idle/phases.h"
#include "analyzer/metrics/memory/memory_blocks.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Blocks of one size that are held at one instant.
struct BlockGroup {
  int64_t block_bytes = 0;
  uint64_t count = 0;
  int64_t first_at_ns = 0;  // when the oldest was taken
  int64_t last_at_ns = 0;
  std::optional<size_t> first_step;  // in which it was; nullopt: in none
  std::optional<size_t> last_step;

  auto operator<=>(const BlockGroup&) const = default;
};

// Those at `at_ns` that hold most, most first.
std::vector<BlockGroup> LargestGroups(const std::vector<MemoryBlock>& blocks,
                                      const Steps& steps, int64_t at_ns);

// The phase of what the thread submits next, or else of what it did last.
std::optional<Phase> PhaseAt(const Process& process,
                             const ProcessAttribution& attribution,
                             ThreadId thread, int64_t at_ns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_INSTANTS_H_
