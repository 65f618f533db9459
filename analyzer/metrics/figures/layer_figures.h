// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_LAYER_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_LAYER_FIGURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/layers/layer_summary.h"
#include "analyzer/metrics/summary/totals.h"

namespace dltap::analyzer {

// What one used step has of a row, on average; the whole run without steps.
struct LayerShare {
  double gpu_ns = 0;
  double forward_ns = 0;
  double backward_ns = 0;  // all of the next three; recompute is not in it
  double backward_data_ns = 0;
  double backward_weight_ns = 0;
  double backward_both_ns = 0;  // of which gradient is not known
  double recompute_ns = 0;
  double update_ns = 0;
  double unknown_ns = 0;  // no direction known
  double glue_ns = 0;     // part of the others
  double host_ns = 0;     // gaps of which the host is the cause
  double device_ns = 0;   // the other gaps
  double calls = 0;
  double kernels = 0;
};

// A layer, or several equal ones, or what no layer owns.
struct LayerFigures {
  LayerRow row = LayerRow::kLayer;
  uint64_t place = 0;  // from 1, in the order of the forward pass; 0: no layer
  uint64_t layers = 1;
  LayerIdentity identity;  // of one; the module's only where all agree
  LayerSums sums;
  LayerShare step_mean;
  std::optional<double> share;  // of the GPU time
  std::optional<double> tflops;
  std::optional<double> of_peak;
  // The largest cause of its gaps that is the host's; nullopt: none.
  std::optional<IdleCause> gap_cause;
  bool small = false;  // reports may fold it with others
};

// How the backward pass was given to layers.
struct LayerMatching {
  int64_t backward_ns = 0;  // recomputing too
  std::array<int64_t, kLayerMatches> match_ns{};
  std::optional<double> matched_share;  // not kNone
  std::array<std::optional<double>, kLayerMatches> by_share;
  uint64_t weight_calls = 0;  // forward, of layers that have weights
  uint64_t known_weight_calls = 0;
  std::optional<double> known_weight_share;
};

struct LayerTables {
  std::vector<LayerFigures> layers;  // each place, then what no layer owns
  std::vector<LayerFigures> groups;  // equal layers together
  LayerFigures small;                // the small groups together
  LayerMatching matching;
};

LayerTables LayerTablesOf(const LayerTable& table, const Totals& totals);

// "(update)"; empty for layers.
std::string_view Name(LayerRow row);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_LAYER_FIGURES_H_
