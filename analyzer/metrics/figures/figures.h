// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_FIGURES_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/devices/step_signs.h"
#include "analyzer/metrics/figures/class_figures.h"
#include "analyzer/metrics/figures/collective_figures.h"
#include "analyzer/metrics/figures/coverage.h"
#include "analyzer/metrics/figures/exposure.h"
#include "analyzer/metrics/figures/host_figures.h"
#include "analyzer/metrics/figures/layer_figures.h"
#include "analyzer/metrics/figures/limit.h"
#include "analyzer/metrics/figures/memory_figures.h"
#include "analyzer/metrics/figures/path_figures.h"
#include "analyzer/metrics/figures/roofline.h"
#include "analyzer/metrics/figures/sensitivity.h"
#include "analyzer/metrics/figures/step_figures.h"
#include "analyzer/metrics/figures/trust.h"
#include "analyzer/metrics/figures/warnings.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/metrics/summary/totals.h"

// Every number that a face shows (text, CSV, JSON and those to come), worked
// out once from a summary. Faces choose, order and print; they compute
// nothing. Times are ns, ratios 1 for the whole; what cannot be known is
// nullopt, and no number is ever NaN or infinite.
namespace dltap::analyzer {

// What one of several processes has of a device; shares of the observed time.
struct SharedUse {
  ProcessKey process;
  std::optional<double> busy_share;
  std::optional<double> others_share;  // only others work
};

struct DeviceFigures {
  const DeviceSummary* sums;
  std::optional<double> utilization;
  std::optional<double> comm_share;  // of the observed time, as the next
  std::optional<double> copy_share;
  std::optional<double> idle_share;  // without our own cost
  std::vector<SharedUse> shared;     // empty: of one process alone
};

struct ApiRow {
  std::string name;
  ApiSums sums;
  std::optional<double> mean_cpu_ns;
};

struct KernelRow {
  std::string name;
  LayerClass layer_class;
  KernelSums sums;
  std::optional<double> mean_ns;
  std::optional<double> share;  // of the GPU time
};

struct SiteRow {
  SiteName site;  // empty: not known
  LayerClass layer_class;
  SiteSums sums;
  std::optional<double> share;  // of the GPU time
};

struct OpRow {
  std::string name;
  LayerClass layer_class;
  Direction direction;
  OpSums sums;
  std::optional<double> share;  // of the GPU time
  std::optional<double> tflops;
};

struct SmallClasses {
  uint64_t count = 0;
  ClassFigures figures;  // of them together
};

// The devices of one name.
struct GpuCount {
  uint64_t devices = 0;
  uint64_t processes = 0;  // with work on them

  auto operator<=>(const GpuCount&) const = default;
};

// A function that emptied the device's queue.
struct DrainRow {
  std::string name;
  DrainSums sums;
  double calls_per_step = 0;
  double host_step_ns = 0;
};

// Where the host was between its calls, where no sample tells what it did.
struct UnknownRow {
  std::optional<LayerClass> layer_class;  // nullopt: between steps
  std::string name;                       // operator, Python frame, range
  int64_t ns = 0;
  double step_ns = 0;
  bool small = false;  // less than 1 % of the idle time
};

// A part of the step: what a class, or a cause of idling, has of a phase.
// Neither: not observed.
struct StepPart {
  Phase phase;
  std::optional<LayerClass> layer_class;
  std::optional<IdleCause> cause;
  double step_ns;
};

// Where a thread was found while the device waited for it.
struct SeenRow {
  SeenIn in;
  std::string name;
  uint64_t looks = 0;
  uint64_t of = 0;     // looks at it in that state
  double step_ns = 0;  // of that state's idle time, by the share of the looks
  // Less than a hundredth of the idle time, or found by one or two looks.
  bool small = false;
};

// What used steps show of a sign, on average.
struct SignFigures {
  double count = 0;
  double ns = 0;
  double bytes = 0;
  std::optional<double> gbs;    // 1e9 bytes a second of its time
  std::optional<double> share;  // of the observed time; copies: exposed ones
};

// The program: all processes and devices together.
struct ProgramFigures {
  uint64_t processes = 0;
  std::vector<std::string> names;        // of those with GPU work, distinct
  std::vector<std::string> frameworks;   // the same
  std::map<std::string, GpuCount> gpus;  // by name
  double per_step = 1;                   // what "per step" divides by
  std::optional<double> utilization;     // compute / observed
  std::optional<double> comm_share;      // exposed communication / observed
  std::optional<double> cpu_dependency;
  std::optional<int64_t> longest_wall_ns;  // of one device
  std::optional<double> samples_per_s;
  HostFigures host;
  Exposures exposures;
  int64_t idle_ns = 0;
  double idle_step_ns = 0;
  std::array<double, kIdleCauses> idle_by_cause_step_ns{};
  std::array<double, kPhaseCount> phases_step_ns{};
  std::vector<StepPart> parts;         // that are not 0; sum to the phases
  double drained_step_ns = 0;          // host time after waits and such copies
  std::vector<DrainRow> drained_by;    // by host time, descending
  std::vector<UnknownRow> unknown_in;  // the five largest of each class
  std::vector<SeenRow> seen_in;        // the five largest of each state
  // Per step; see METRICS.md. The bound: sleep is counted as work.
  std::optional<double> host_work_ns;
  bool host_work_is_bound = false;
  std::optional<double> device_work_ns;
  std::optional<double> wait_gain_ns;  // what a step could lose without waits
  // Share of the samples in which the feeder works itself on the input.
  std::optional<double> input_runnable_share;
  ClassFigures total;  // of all classes
  std::array<SignFigures, kSigns> signs{};
  bool has_fixed_costs = false;   // host times of a process are not measured
  bool computes_in_fp64 = false;  // in more than a trace of its time
};

struct Figures {
  Totals totals;
  ProgramFigures program;
  StepFigures steps;
  std::vector<DeviceFigures> devices;
  std::vector<ClassRow> classes;  // by GPU time, descending
  SmallClasses small_classes;
  std::vector<Limit> limits;
  std::vector<ApiRow> apis;               // by CPU time, descending
  std::vector<KernelRow> kernels;         // by GPU time, descending
  std::vector<OpRow> ops;                 // by GPU time, descending
  std::vector<SiteRow> sites;             // by GPU time, descending
  std::vector<std::string> site_reasons;  // why they are not as asked for
  bool has_delays = false;  // only steps without one are in the numbers
  std::vector<Sensitivity> sensitivity;  // by class; empty: not asked for
  LayerTables layers;
  std::vector<RooflineRow> roofline;
  LongAndLowRows long_and_low;
  PathFigures path;
  std::vector<ConflictRow> evidence_conflicts;
  CollectiveFigures collectives;
  MemoryFigures memory;
  TrustFigures trust;
  Coverage coverage;
  std::vector<Warning> warnings;  // to be said above the numbers
};

// `summary` must outlive the result, which points into it. `samples_per_step`
// gives the throughput; it must be above 0.
Figures FiguresOf(const Summary& summary,
                  std::optional<double> samples_per_step = std::nullopt);
Figures FiguresOf(const Summary&& summary,
                  std::optional<double> samples_per_step = {}) = delete;

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_FIGURES_H_
