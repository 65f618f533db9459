// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SUMMARY_SUMMARY_H_
#define DLTAP_ANALYZER_METRICS_SUMMARY_SUMMARY_H_

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/classes/tallies.h"
#include "analyzer/metrics/devices/device_summary.h"
#include "analyzer/metrics/idle/cpu_utilization.h"
#include "analyzer/metrics/memory/memory.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/summary/collective_sums.h"
#include "analyzer/metrics/windows/delays.h"
#include "analyzer/metrics/windows/outside.h"
#include "analyzer/metrics/windows/step_choice.h"
#include "analyzer/model/event_source.h"
#include "analyzer/model/trace_model.h"

// What METRICS.md defines, as sums over the used steps: a summary per process,
// and their merging. Ratios, means and what limits the program follow from
// the sums in figures.h. A summary owns all it holds; no trace is needed
// beside it. Times are ns.
namespace dltap::analyzer {

struct Pictures;  // pictures.h

// The steps of one process.
struct StepSummary {
  StepsFoundBy found_by = StepsFoundBy::kNone;
  std::vector<size_t> used;  // indices, ascending
  std::array<uint64_t, kStepUses> by_use{};
  std::array<int64_t, kStepUses> wall_ns{};  // of these
  std::vector<uint64_t> threads_at_once;     // see Steps
  uint64_t other_count = 0;                  // the same
  uint64_t with_module_loads = 0;            // of the used ones

  uint64_t found() const;

  auto operator<=>(const StepSummary&) const = default;
};

// A call that had not returned when its process was last seen.
struct InsideCall {
  std::string name;
  int64_t ns = 0;  // until then

  auto operator<=>(const InsideCall&) const = default;
};

// How far the records of a process reach that did not end by itself.
struct CutTail {
  int64_t last_ns = 0;  // its last record of any kind
  int64_t gpu_ns = 0;   // until then no record of the GPU's work is missing

  auto operator<=>(const CutTail&) const = default;
};

struct ProcessSummary {
  ProcessKey key;                    // processes stand in this order
  std::string program;               // empty: unknown
  std::vector<std::string> command;  // its arguments; empty: not recorded
  bool command_is_cut = false;
  std::string framework;  // empty: unknown
  HostClock host_clock = HostClock::kMeasured;
  std::string level;
  std::string level_reason;  // why not the level asked for; else empty
  std::string
      sites_reason;  // why launch sites are not as asked for; else empty
  StepSummary steps;
  bool has_gpu_work = false;             // on a selected device, used or not
  uint64_t activities = 0;               // on all devices
  bool complete = true;                  // it ended by itself
  std::optional<CutTail> cut;            // it did not
  std::optional<InsideCall> inside;      // the longest one of its threads
  std::map<std::string, uint64_t> lost;  // by cause
  std::map<std::string, uint64_t> uncomputed_reads;  // by place; simulated
  bool reads_are_plausible = false;  // random numbers, not zeroes
  uint64_t launches_without_kernel = 0;
  uint64_t kernels_without_launch = 0;
  std::optional<int64_t> overhead_ns;  // own, of all its calls
  uint64_t recorded_launches = 0;      // that the activity source recorded
  std::optional<int64_t> source_overhead_ns;  // its own cost for them
  std::optional<CpuTimes> cpu;
  bool has_delays = false;
  std::vector<DelayEffect> delays;
  int64_t clock_residual_ns = 0;
  int64_t composite_ns = 0;

  auto operator<=>(const ProcessSummary&) const = default;
};

// Several processes and the devices that they share; a default one holds none
// and is the identity of Merge.
struct Summary {
  std::set<SourceFormat> formats;
  std::set<std::string> files;
  bool simulated = false;  // any device is
  // Host and UUID of what the processes could use, where the trace tells all.
  std::set<std::string> visible_gpus;
  Selection selection;                    // what the numbers are about
  std::vector<ProcessSummary> processes;  // sorted
  std::vector<DeviceSummary> devices;     // those with windows, sorted
  Outside outside;                        // GPU work that is not in them
  int64_t end_ns = 0;                     // of the trace's time line
  Tallies tallies;
  CollectiveTallies collectives;
  MemorySummary memory;
  LayerTable layers;
  // No memory, layers and what-if: they need the whole trace.
  bool in_slices = false;

  bool has_delays() const;
  bool has_fixed_costs() const;  // of host calls, in a process with GPU work

  auto operator<=>(const Summary&) const = default;
};

// Both together. Associative and commutative: processes and devices are joined
// in order, sums add up. (Sums of FLOPs are floating point, equal to 15
// digits.) Equal processes stay two: a summary that is merged twice counts
// twice. A device that both know stays two as well, since unions can't be made
// of sums: processes that share a GPU belong into one model.
Summary Merge(Summary a, const Summary& b);

// All of the model that is selected. No process: no numbers. `pictures`, if
// any, gets those of every device.
Summary Summarise(const TraceModel& model, const Attribution& attribution,
                  const Selection& selection = {},
                  Pictures* pictures = nullptr);

// Its parts that need no events: what the trace says of itself, no processes
// yet; the same of a process; the number of steps by use.
Summary DescribeTrace(const TraceModel& model, const Selection& selection);
ProcessSummary DescribeProcess(const TraceModel& model, const Process& process,
                               const EventTotals& totals);
StepSummary SummariseSteps(const Steps& steps);
void AddLeftOutSteps(const StepSummary& steps, Outside& outside);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SUMMARY_SUMMARY_H_
