// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_UNITS_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_UNITS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/layers/layer_unit.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

inline constexpr uint32_t kNoUnit = std::numeric_limits<uint32_t>::max();

struct LayerUnits {
  std::vector<LayerUnit> units;   // as the host submitted them
  std::vector<uint32_t> unit_of;  // by activity; kNoUnit: see row_of
  std::vector<LayerRow> row_of;   // by activity
  // By activity: fills, copies, casts, transposes right before a layer, or
  // bias adds after it, which belong to it.
  std::vector<bool> is_glue;
};

LayerUnits FindLayerUnits(const TraceModel& model, const Process& process,
                          const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_UNITS_H_
