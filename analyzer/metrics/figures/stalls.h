// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_STALLS_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_STALLS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/kernel_counters.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

// Why warps could not issue, in the five groups that nvprof had, and the rest;
// METRICS.md "Stall reasons".
enum class StallGroup : uint8_t {
  kExecutionDependency,
  kMemoryDependency,
  kSynchronization,
  kPipeBusy,
  kInstructionFetch,
  kOther,
  kCount
};
inline constexpr size_t kStallGroups = static_cast<size_t>(StallGroup::kCount);
std::string_view Name(StallGroup group);  // "memory_dependency"

// The group of a vendor's reason ("long_scoreboard"); kOther for one that is
// not known.
StallGroup GroupOf(std::string_view reason);

// What the launches of a report are weighted by: the first that all have.
enum class StallWeight : uint8_t { kCycles, kTime, kLaunches };
std::string_view Name(StallWeight weight);

struct StallRow {
  std::string name;  // of the class, or of the kernel
  LayerClass layer_class;
  uint64_t launches = 0;
  std::optional<double> gpu_ns;        // unknown: a launch lacks it
  std::optional<double> weight_share;  // of the weight of all launches
  // Of the stalls, weighted; unknown where none were measured.
  std::array<std::optional<double>, kStallGroups> share;
};

struct StallFigures {
  uint64_t launches = 0;
  uint64_t without_stalls = 0;  // launches, left out of the shares
  uint64_t unclassified = 0;    // launches whose name no rule knows
  StallWeight weight = StallWeight::kCycles;
  StallRow total;
  std::vector<StallRow> classes;  // by weight, descending
  std::vector<StallRow> kernels;  // the same
};

// Classes are by kernel name: a counter report has no other evidence.
StallFigures StallsOf(const CounterTable& table);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_STALLS_H_
