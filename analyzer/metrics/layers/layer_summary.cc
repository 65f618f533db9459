// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_summary.h"

#include <algorithm>

#include "analyzer/metrics/base/add_arrays.h"
#include "analyzer/metrics/windows/device_timeline.h"

namespace dltap::analyzer {

void LayerSums::Add(const LayerSums& other) {
  place = std::min(place, other.place);
  gpu_ns += other.gpu_ns;
  kernels += other.kernels;
  calls += other.calls;
  weight_calls += other.weight_calls;
  known_weight_calls += other.known_weight_calls;
  AddTo(direction_ns, other.direction_ns);
  glue_ns += other.glue_ns;
  AddTo(match_ns, other.match_ns);
  AddTo(idle_ns, other.idle_ns);
  efficiency.Add(other.efficiency);
}

void Add(LayerTable& into, const LayerTable& from) {
  for (const auto& [key, sums] : from) into[key].Add(sums);
}

LayerSums& LayerKeeper::OtherRow(LayerRow row) {
  LayerSums*& sums = other_rows_[static_cast<size_t>(row)];
  if (sums == nullptr) sums = &table_[{row, {}}];
  return *sums;
}

LayerSums& LayerKeeper::RowOf(size_t activity) {
  const LayerOfActivity& at = layers_.of_activity[activity];
  if (at.row != LayerRow::kLayer) return OtherRow(at.row);
  LayerSums*& row = rows_[at.layer];
  if (row == nullptr) row = &table_[{at.row, layers_.layers[at.layer]}];
  row->place = std::min<uint64_t>(row->place, at.layer);
  return *row;
}

void LayerKeeper::Add(size_t activity, int64_t ns, const Efficiency& efficiency,
                      bool is_new) {
  const LayerOfActivity& at = layers_.of_activity[activity];
  LayerSums& row = RowOf(activity);
  row.gpu_ns += ns;
  row.kernels += is_new;
  row.calls += is_new && at.begins_call;
  row.weight_calls += is_new && at.has_weight;
  row.known_weight_calls += is_new && at.knows_weight;
  row.direction_ns[static_cast<size_t>(at.direction)] += ns;
  if (at.is_glue) row.glue_ns += ns;
  if (IsBackward(at.direction)) {
    row.match_ns[static_cast<size_t>(at.match)] += ns;
  }
  row.efficiency.Add(efficiency);
}

void LayerKeeper::AddGap(size_t activity, bool between_steps,
                         const IdleTimes& ns) {
  const bool between = between_steps || activity == kNoActivity;
  LayerSums& row =
      between ? OtherRow(LayerRow::kBetweenSteps) : RowOf(activity);
  AddTo(row.idle_ns, ns);
}

}  // namespace dltap::analyzer
