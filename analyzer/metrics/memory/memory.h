// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/devices/device_summary.h"
#include "analyzer/metrics/memory/memory_instants.h"
#include "analyzer/metrics/memory/memory_level.h"
#include "analyzer/metrics/memory/memory_owners.h"
#include "analyzer/metrics/steps/step.h"

// Device memory: what processes hold, its peak, and who owns it; METRICS.md
// "Memory".
namespace dltap::analyzer {

// A request that was refused, and what was there then.
struct MemoryFailure {
  int64_t at_ns = 0;
  int64_t bytes = 0;                    // asked for
  std::optional<int64_t> held_bytes;    // of the device
  std::optional<int64_t> tensor_bytes;  // of these in tensors
  std::optional<int64_t> unused_bytes;  // of these in none
  std::optional<int64_t> free_bytes;    // as the program asked right after
  // What the device has less what is held: contexts take some of it.
  std::optional<int64_t> free_most_bytes;
  bool granted_later = false;  // asked for again at once, and got
  std::string function;        // empty: not recorded
  std::optional<size_t> step;
  std::optional<StepUse> step_use;
  std::optional<Phase> phase;  // of what the thread submits next
  // Of the first kMostExplained that were not granted later.
  std::optional<MemoryShares> owners;  // as those of DeviceMemory
  std::vector<BlockGroup> blocks;

  auto operator<=>(const MemoryFailure&) const = default;
};
inline constexpr size_t kMostExplained = 16;
inline constexpr size_t kStepInstants = 64;  // evenly over its calls

// The memory of one physical device.
struct DeviceMemory {
  std::vector<ProcessKey> processes;  // that hold some, ascending
  std::optional<int> ordinal;  // nullopt: the trace does not tell the device
  std::string name;            // empty: unknown
  std::string uuid;            // empty: unknown
  int64_t capacity_bytes = 0;  // 0: unknown
  MemoryLevel held;            // taken from the driver
  // More was held: taken before recording began, or by a call that was not
  // recorded.
  bool is_least = false;
  // Taken when a graph runs; not in `held`.
  uint64_t captured = 0;
  std::optional<MemoryLevel> tensors;  // by records of a framework's allocator
  // At the peak: of tensors where they are known, else of what is held. The
  // bytes add up to the level, but where `is_least`.
  std::optional<MemoryShares> owners;
  std::vector<BlockGroup> blocks;  // at that time, the largest: see BlockGroup
  // Where tensors are not known: what is known to be in use in the last used
  // step when that is most, of kStepInstants instants. kUnknown stays 0.
  std::optional<MemoryShares> step_owners;
  std::optional<MemoryLevel> managed;  // may lie on the host
  std::vector<MemoryFailure> failures;

  auto operator<=>(const DeviceMemory&) const = default;
};

// Pinned memory of one process.
struct PinnedMemory {
  ProcessKey process;
  MemoryLevel level;

  auto operator<=>(const PinnedMemory&) const = default;
};

struct MemorySummary {
  std::vector<DeviceMemory> devices;  // sorted
  std::vector<PinnedMemory> pinned;   // sorted
  // Processes whose trace leaves out addresses, so that nothing tells when
  // memory was given back.
  uint64_t without_addresses = 0;

  void Add(const MemorySummary& other);

  auto operator<=>(const MemorySummary&) const = default;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_H_
