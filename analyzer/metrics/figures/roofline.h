// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_ROOFLINE_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_ROOFLINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/classes/tallies.h"
#include "analyzer/metrics/figures/class_figures.h"
#include "analyzer/metrics/summary/totals.h"

namespace dltap::analyzer {

// A class or a kernel under its roof. All but names, times and bandwidth cover
// the activities whose executed FLOPs, bytes and peaks are known.
struct RooflineRow {
  std::string kernel;  // empty: a whole class
  LayerClass layer_class = LayerClass::kUnattributed;
  uint64_t count = 0;
  int64_t gpu_ns = 0;
  std::optional<double> intensity;  // executed FLOP per byte
  std::optional<double> attainable_tflops;
  std::optional<double> achieved_tflops;
  std::optional<double> of_attainable;
  std::optional<double> bandwidth_gbs;  // where the bytes are known
  std::optional<double> of_bandwidth;
  LimitedBy bound = LimitedBy::kUnknown;
};

// Classes that compute, then kernels, each by GPU time. Rows whose work is not
// known are there, too: without numbers. Communication and copies have no roof.
std::vector<RooflineRow> RooflineRows(const std::vector<ClassRow>& classes,
                                      const Tallies& tallies);

// A kernel that lasts longer than the mean kernel at less than the mean share
// of its peak.
struct LongAndLow {
  std::string kernel;
  LayerClass layer_class;
  KernelSums sums;
  double mean_ns;
  double of_peak;
};

struct LongAndLowRows {
  std::optional<double> mean_ns;       // of all kernels with known work
  std::optional<double> mean_of_peak;  // weighted by their time
  std::vector<LongAndLow> rows;        // by GPU time
};

LongAndLowRows FindLongAndLow(const Tallies& tallies);

struct ConflictRow {
  Conflict conflict;
  ConflictSums sums;
  std::optional<double> share;  // of the GPU time
};

// By GPU time.
std::vector<ConflictRow> ConflictRows(const Tallies& tallies,
                                      const Totals& totals);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_ROOFLINE_H_
