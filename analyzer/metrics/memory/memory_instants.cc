// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory_instants.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "analyzer/metrics/steps/step_at.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostGroups = 5;

}  // namespace

std::vector<BlockGroup> LargestGroups(const std::vector<MemoryBlock>& blocks,
                                      const Steps& steps, int64_t at_ns) {
  std::map<int64_t, BlockGroup> by_size;
  for (const MemoryBlock& block : blocks) {
    if (block.begin_ns > at_ns || at_ns >= block.end_ns) continue;
    BlockGroup& group = by_size[block.bytes];
    if (group.count++ == 0) group.first_at_ns = block.begin_ns;
    group.block_bytes = block.bytes;
    group.first_at_ns = std::min(group.first_at_ns, block.begin_ns);
    group.last_at_ns = std::max(group.last_at_ns, block.begin_ns);
  }
  std::vector<BlockGroup> groups;
  for (const auto& [bytes, group] : by_size) groups.push_back(group);
  const auto all_bytes = [](const BlockGroup& group) {
    return static_cast<double>(group.block_bytes) *
           static_cast<double>(group.count);
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const BlockGroup& a, const BlockGroup& b) {
                     return all_bytes(a) > all_bytes(b);
                   });
  groups.resize(std::min(groups.size(), kMostGroups));
  for (BlockGroup& group : groups) {
    group.first_step = StepAt(steps, group.first_at_ns);
    group.last_step = StepAt(steps, group.last_at_ns);
  }
  return groups;
}

std::optional<Phase> PhaseAt(const Process& process,
                             const ProcessAttribution& attribution,
                             ThreadId thread, int64_t at_ns) {
  std::optional<size_t> next;
  std::optional<size_t> last;
  int64_t next_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < attribution.activities.size(); ++i) {
    const CallId by = attribution.activities[i].submitted_by;
    if (!by.known() || process.calls[by.value()].thread != thread) continue;
    const Call& call = process.calls[by.value()];
    if (call.end_ns >= at_ns && call.begin_ns < next_ns) {
      next_ns = call.begin_ns;
      next = i;
    } else if (call.end_ns < at_ns && call.begin_ns > last_ns) {
      last_ns = call.begin_ns;
      last = i;
    }
  }
  if (!next) next = last;
  if (!next) return std::nullopt;
  return PhaseOf(attribution.activities[*next]);
}

}  // namespace dltap::analyzer
