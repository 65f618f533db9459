// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_FINDER_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_FINDER_H_

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/layers/layer_match.h"
#include "analyzer/metrics/layers/layer_units.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A layer, in a way that says the same in every process of a program.
struct LayerIdentity {
  LayerClass layer_class = LayerClass::kUnattributed;
  std::string operation;  // "conv 3x32x32 -> 32x32x32 k3"
  std::string module;     // "Conv2d_0", or the user's range; empty: unknown
  uint64_t number = 0;    // among the layers that are equal so far

  auto operator<=>(const LayerIdentity&) const = default;
};

// Where an activity stands in the rows of a report by layer.
struct LayerOfActivity {
  uint32_t layer = kNoLayer;  // into ProcessLayers::layers; only of kLayer
  LayerRow row = LayerRow::kNoLayer;
  Direction direction = Direction::kNone;  // which gradient, where it shows
  LayerMatch match = LayerMatch::kNone;    // of the backward pass
  bool begins_call = false;                // the first of a forward operation
  bool is_glue = false;
  bool has_weight = false;    // begins a call of a layer that has some
  bool knows_weight = false;  // which, by its address or the nn.Module around
};

struct ProcessLayers {
  std::vector<LayerIdentity> layers;  // in the order of the forward pass
  std::vector<LayerOfActivity> of_activity;
};

// The layers of a process; METRICS.md "Layers".
ProcessLayers FindLayers(const TraceModel& model, const Process& process,
                         const ProcessAttribution& attribution,
                         const Steps& steps);

// The layers of several processes together, for activities that come from
// (process, index of the activity) in turn.
ProcessLayers UnitedLayers(
    const std::vector<ProcessLayers>& layers,
    const std::vector<std::pair<size_t, size_t>>& origins);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_FINDER_H_
