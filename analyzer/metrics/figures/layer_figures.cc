// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/layer_figures.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/metrics/base/known_part.h"
#include "analyzer/metrics/base/ratio.h"
#include "analyzer/metrics/layers/layer_tree.h"

namespace dltap::analyzer {
namespace {

constexpr double kSmallShare = 0.005;  // of the GPU time, and of the gaps

LayerShare PerStep(const LayerSums& sums, double steps) {
  const auto mean = [steps](auto value) {
    return static_cast<double>(value) / steps;
  };
  const auto of = [&](Direction direction) {
    return mean(sums.direction_ns[static_cast<size_t>(direction)]);
  };
  LayerShare share;
  share.gpu_ns = mean(sums.gpu_ns);
  share.forward_ns = of(Direction::kForward);
  share.backward_data_ns = of(Direction::kBackwardData);
  share.backward_weight_ns = of(Direction::kBackwardWeight);
  share.backward_both_ns = of(Direction::kBackward);
  share.backward_ns = share.backward_data_ns + share.backward_weight_ns +
                      share.backward_both_ns;
  share.recompute_ns = of(Direction::kRecompute);
  share.update_ns = of(Direction::kUpdate);
  share.unknown_ns = of(Direction::kNone);
  share.glue_ns = mean(sums.glue_ns);
  share.host_ns = mean(HostNs(sums.idle_ns));
  share.device_ns = mean(SumOf(sums.idle_ns)) - share.host_ns;
  share.calls = mean(sums.calls);
  share.kernels = mean(sums.kernels);
  return share;
}

std::optional<IdleCause> LargestCause(const IdleTimes& idle_ns) {
  std::optional<IdleCause> largest;
  int64_t most = 0;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    if (!IsHostCause(cause) || cause == IdleCause::kProfiler) continue;
    if (idle_ns[i] <= most) continue;
    most = idle_ns[i];
    largest = cause;
  }
  return largest;
}

void FillIn(const Totals& totals, LayerFigures& row) {
  row.step_mean = PerStep(row.sums, totals.per_step());
  row.share = Ratio(static_cast<double>(row.sums.gpu_ns),
                    static_cast<double>(totals.all.gpu_ns));
  const Efficiency& work = row.sums.efficiency;
  row.tflops = RateOfRow(work.tflops(), work.known_ns, row.sums.gpu_ns);
  row.of_peak = RateOfRow(work.of_peak(), work.executed_ns, row.sums.gpu_ns);
  row.gap_cause = LargestCause(row.sums.idle_ns);
}

bool IsSmall(const LayerFigures& row, const Totals& totals) {
  if (row.row != LayerRow::kLayer) return false;
  const auto gpu_ns = static_cast<double>(totals.all.gpu_ns);
  const auto idle_ns = static_cast<double>(SumOf(totals.idle_ns));
  return static_cast<double>(row.sums.gpu_ns) < kSmallShare * gpu_ns &&
         static_cast<double>(HostNs(row.sums.idle_ns)) <= kSmallShare * idle_ns;
}

std::vector<LayerFigures> Places(const LayerTable& table) {
  std::vector<LayerFigures> rows;
  for (const auto& [key, sums] : table) {
    LayerFigures& row = rows.emplace_back();
    row.row = key.first;
    row.identity = key.second;
    row.sums = sums;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a.row, a.sums.place) < std::tie(b.row, b.sums.place);
  });
  uint64_t place = 0;
  for (LayerFigures& row : rows) {
    if (row.row == LayerRow::kLayer) row.place = ++place;
  }
  return rows;
}

// Equal but for their place, in the order of the first.
std::vector<LayerFigures> Groups(const std::vector<LayerFigures>& layers) {
  std::vector<LayerFigures> groups;
  std::map<LayerKey, size_t> group_of;
  for (const LayerFigures& layer : layers) {
    const LayerIdentity identity = GroupOf(layer.identity);
    const auto [it, is_new] =
        group_of.try_emplace({layer.row, identity}, groups.size());
    if (is_new) {
      groups.push_back(layer);
      continue;
    }
    LayerFigures& group = groups[it->second];
    group.identity = identity;
    ++group.layers;
    group.sums.Add(layer.sums);
  }
  return groups;
}

}  // namespace

LayerTables LayerTablesOf(const LayerTable& table, const Totals& totals) {
  LayerTables out;
  out.layers = Places(table);
  out.groups = Groups(out.layers);
  out.small.layers = 0;
  for (LayerFigures& row : out.layers) FillIn(totals, row);
  for (LayerFigures& row : out.groups) {
    FillIn(totals, row);
    row.small = IsSmall(row, totals);
    if (!row.small) continue;
    ++out.small.layers;
    out.small.sums.Add(row.sums);
  }
  FillIn(totals, out.small);
  LayerMatching& matching = out.matching;
  for (const LayerFigures& row : out.layers) {
    matching.weight_calls += row.sums.weight_calls;
    matching.known_weight_calls += row.sums.known_weight_calls;
    for (size_t i = 0; i < kLayerMatches; ++i) {
      matching.match_ns[i] += row.sums.match_ns[i];
      matching.backward_ns += row.sums.match_ns[i];
    }
  }
  for (size_t i = 0; i < kLayerMatches; ++i) {
    matching.by_share[i] = Ratio(static_cast<double>(matching.match_ns[i]),
                                 static_cast<double>(matching.backward_ns));
  }
  matching.known_weight_share =
      Ratio(static_cast<double>(matching.known_weight_calls),
            static_cast<double>(matching.weight_calls));
  const int64_t none =
      matching.match_ns[static_cast<size_t>(LayerMatch::kNone)];
  matching.matched_share =
      Ratio(static_cast<double>(matching.backward_ns - none),
            static_cast<double>(matching.backward_ns));
  return out;
}

std::string_view Name(LayerRow row) {
  constexpr std::string_view kNames[] = {
      "",           "(update)",   "(communication)", "(input)",
      "(autotune)", "(no layer)", "(between steps)"};
  return kNames[static_cast<size_t>(row)];
}

}  // namespace dltap::analyzer
