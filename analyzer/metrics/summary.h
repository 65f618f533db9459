// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SUMMARY_H_
#define DLTAP_ANALYZER_METRICS_SUMMARY_H_

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/cpu_use.h"
#include "analyzer/metrics/delays.h"
#include "analyzer/metrics/device_summary.h"
#include "analyzer/metrics/step_finder.h"
#include "analyzer/metrics/tallies.h"
#include "analyzer/model/trace_model.h"

// What METRICS.md defines, as sums over the used steps: a summary per process,
// and their merging. Ratios, means and what limits the program follow from
// the sums in figures.h. A summary owns all it holds; no trace is needed
// beside it. Times are ns.
namespace dltap::analyzer {

inline constexpr size_t kStepUses = static_cast<size_t>(StepUse::kDelayed) + 1;

// The steps of one process.
struct StepSummary {
  StepsFoundBy found_by = StepsFoundBy::kNone;
  std::vector<size_t> used;  // indices, ascending
  std::array<uint64_t, kStepUses> by_use{};

  uint64_t found() const;

  auto operator<=>(const StepSummary&) const = default;
};

struct ProcessSummary {
  // Processes stand in the order of these fields; no rank comes before 0.
  std::optional<int> rank;
  std::string host;
  int64_t pid = 0;
  std::string program;               // empty: unknown
  std::vector<std::string> command;  // its arguments; empty: not recorded
  bool command_is_cut = false;
  std::string framework;  // empty: unknown
  std::string level;
  std::string level_reason;  // why not the level asked for; else empty
  StepSummary steps;
  std::vector<DeviceSummary> devices;    // those with work in the windows
  std::map<std::string, uint64_t> lost;  // by cause
  uint64_t launches_without_kernel = 0;
  uint64_t kernels_without_launch = 0;
  std::optional<int64_t> overhead_ns;  // own, of all its calls
  uint64_t recorded_launches = 0;      // that the activity source recorded
  std::optional<int64_t> source_overhead_ns;  // its own cost for them
  std::optional<CpuUse> cpu;
  bool has_delays = false;
  std::vector<DelayEffect> delays;
  int64_t clock_residual_ns = 0;
  int64_t composite_ns = 0;

  auto operator<=>(const ProcessSummary&) const = default;
};

// Several processes; a default one holds none and is the identity of Merge.
struct Summary {
  std::set<SourceFormat> formats;
  std::set<std::string> files;
  bool simulated = false;                 // any device is
  std::vector<ProcessSummary> processes;  // sorted
  Tallies tallies;

  auto operator<=>(const Summary&) const = default;
};

// One process of `model`, and what is true of the whole: format, files, whether
// it is simulated. `attribution` is that of the same process.
Summary SummariseProcess(const TraceModel& model, const Process& process,
                         const ProcessAttribution& attribution);

// Both together. Associative and commutative: processes are joined in order,
// sums add up. (Sums of FLOPs are floating point, equal to 15 digits.) Equal
// processes stay two: a summary that is merged twice counts twice.
Summary Merge(Summary a, const Summary& b);

// All processes of the model, merged. No process: no numbers.
Summary Summarise(const TraceModel& model, const Attribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SUMMARY_H_
