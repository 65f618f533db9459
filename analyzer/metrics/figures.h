// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/class_figures.h"
#include "analyzer/metrics/limit.h"
#include "analyzer/metrics/sensitivity.h"
#include "analyzer/metrics/summary.h"
#include "analyzer/metrics/totals.h"
#include "analyzer/metrics/trust.h"

// Every number that a face shows (text, CSV, JSON and those to come), worked
// out once from a summary. Faces choose, order and print; they compute
// nothing. Times are ns, ratios 1 for the whole; what cannot be known is
// nullopt, and no number is ever NaN or infinite.
namespace dltap::analyzer {

// The steps of all processes together. Each process counts its own: two ranks
// of 20 steps have 40.
struct StepFigures {
  StepsFoundBy found_by = StepsFoundBy::kNone;  // the weakest of the processes
  uint64_t found = 0;
  uint64_t used = 0;
  std::array<uint64_t, kStepUses> left_out{};  // kUsed is 0
  uint64_t processes = 0;                      // with steps
  uint64_t processes_without = 0;  // with GPU work, but no steps were found
  std::vector<int64_t> ns;         // of every device, in the order of devices
  std::optional<double> mean_ns;
  std::optional<double> stddev_ns;  // of the sample; 0 for one step
};

struct DeviceFigures {
  const ProcessSummary* process;
  const DeviceSummary* sums;
  std::optional<double> utilization;
  std::optional<double> comm_share;  // of the observed time, as the next
  std::optional<double> copy_share;
  std::optional<double> idle_share;  // without our own cost
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

// The program: all processes and devices together.
struct ProgramFigures {
  uint64_t processes = 0;
  std::vector<std::string> names;        // of those with GPU work, distinct
  std::vector<std::string> frameworks;   // the same
  std::map<std::string, uint64_t> gpus;  // name to number of devices
  double per_step = 1;                   // what "per step" divides by
  std::optional<double> utilization;     // compute / observed
  std::optional<double> comm_share;      // exposed communication / observed
  std::optional<double> cpu_dependency;
  std::optional<int64_t> longest_wall_ns;  // of one device
  std::optional<double> samples_per_s;
  std::optional<double> cpu_utilization;    // CPU time / (cores x wall)
  std::optional<double> queue_unfinished;   // activities, at a submission
  std::optional<double> queue_waiting;      // of these, not begun
  std::optional<double> queue_empty_share;  // of the submissions
  int64_t idle_ns = 0;
  double idle_step_ns = 0;
  std::array<double, kIdleCauses> idle_by_cause_step_ns{};
  std::array<double, kPhaseCount> phases_step_ns{};
  ClassFigures total;  // of all classes
};

struct Figures {
  Totals totals;
  ProgramFigures program;
  StepFigures steps;
  std::vector<DeviceFigures> devices;
  std::vector<ClassRow> classes;  // by GPU time, descending
  SmallClasses small_classes;
  std::vector<Limit> limits;
  std::vector<ApiRow> apis;        // by CPU time, descending
  std::vector<KernelRow> kernels;  // by GPU time, descending
  std::vector<OpRow> ops;          // by GPU time, descending
  bool has_delays = false;         // only steps without one are in the numbers
  std::vector<Sensitivity> sensitivity;  // by class; empty: not asked for
  TrustFigures trust;
};

// `summary` must outlive the result, which points into it. `samples_per_step`
// gives the throughput; it must be above 0.
Figures FiguresOf(const Summary& summary,
                  std::optional<double> samples_per_step = std::nullopt);
Figures FiguresOf(const Summary&& summary,
                  std::optional<double> samples_per_step = {}) = delete;

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_H_
