// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_SUMMARY_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_SUMMARY_H_

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/efficiency.h"
#include "analyzer/metrics/classes/class_summary.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/layers/layer_finder.h"
#include "analyzer/metrics/windows/physical_device.h"

namespace dltap::analyzer {

inline constexpr size_t kLayerMatches = static_cast<size_t>(LayerMatch::kCount);

// One layer, or what no layer owns, inside the windows. Only sums, but `place`:
// the earliest in the forward pass of any process.
struct LayerSums {
  uint64_t place = std::numeric_limits<uint64_t>::max();
  int64_t gpu_ns = 0;
  uint64_t kernels = 0;             // activities
  uint64_t calls = 0;               // of the forward operation
  uint64_t weight_calls = 0;        // of those, of layers that have weights
  uint64_t known_weight_calls = 0;  // of those, of which is known which weights
  std::array<int64_t, kDirectionCount> direction_ns{};  // sums to gpu_ns
  int64_t glue_ns = 0;                                  // part of gpu_ns
  // Of the backward pass and what it computes again: by what it was found.
  std::array<int64_t, kLayerMatches> match_ns{};
  IdleTimes idle_ns{};  // of gaps charged to it
  Efficiency efficiency;

  void Add(const LayerSums& other);

  auto operator<=>(const LayerSums&) const = default;
};

using LayerKey = std::pair<LayerRow, LayerIdentity>;
using LayerTable = std::map<LayerKey, LayerSums>;

void Add(LayerTable& into, const LayerTable& from);

// Fills a table with what a device did. Holds references.
class LayerKeeper {
 public:
  LayerKeeper(const ProcessLayers& layers, LayerTable& table)
      : layers_(layers), table_(table), rows_(layers.layers.size()) {}

  // `ns` of the activity lie inside the windows; not `is_new`: its number was
  // counted before.
  void Add(size_t activity, int64_t ns, const Efficiency& efficiency,
           bool is_new);
  // `activity` is the one that ends the gap; kNoActivity: none.
  void AddGap(size_t activity, bool between_steps, const IdleTimes& ns);

 private:
  LayerSums& RowOf(size_t activity);
  LayerSums& OtherRow(LayerRow row);

  const ProcessLayers& layers_;
  LayerTable& table_;
  // By layer, and those of no layer; null: none yet.
  std::vector<LayerSums*> rows_;
  std::array<LayerSums*, static_cast<size_t>(LayerRow::kCount)> other_rows_{};
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_SUMMARY_H_
