// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/roofline.h"

#include <algorithm>

#include "analyzer/metrics/base/ratio.h"
#include "analyzer/metrics/layers/layer_unit.h"

namespace dltap::analyzer {
namespace {

template <typename Row, typename Ns>
void SortByTime(std::vector<Row>& rows, Ns ns) {
  std::stable_sort(rows.begin(), rows.end(),
                   [ns](const Row& a, const Row& b) { return ns(a) > ns(b); });
}

bool HasRoof(LayerClass layer_class) {
  return layer_class != LayerClass::kComm && !IsCopyOrMemset(layer_class);
}

// min(peak, bandwidth x intensity), over the time of the rated activities.
void AddRoof(const Efficiency& e, RooflineRow& row) {
  row.bandwidth_gbs = e.bandwidth_gbs();
  row.of_bandwidth = e.of_bandwidth();
  if (e.rated_flops <= 0) return;
  row.intensity = Ratio(e.rated_flops, e.rated_bytes);
  row.achieved_tflops = Ratio(e.rated_flops * 1e-3, e.rated_ns);
  const auto by_memory = Ratio(e.rated_flops * e.peak_bytes, e.rated_bytes);
  if (!by_memory || e.peak_flops <= 0) return;
  const double attainable = std::min(e.peak_flops, *by_memory);
  row.attainable_tflops = Ratio(attainable * 1e-3, e.rated_ns);
  row.of_attainable = Ratio(e.rated_flops, attainable);
}

RooflineRow RowOf(const KernelKey& key, const KernelSums& sums) {
  RooflineRow row;
  row.kernel = key.first;
  row.layer_class = key.second;
  row.count = sums.count;
  row.gpu_ns = sums.gpu_ns;
  AddRoof(sums.efficiency, row);
  ClassSummary as_class;
  as_class.kernels = sums.count;
  as_class.gpu_ns = sums.gpu_ns;
  as_class.efficiency = sums.efficiency;
  row.bound = LimitOf(key.second, as_class);
  return row;
}

}  // namespace

std::vector<RooflineRow> RooflineRows(const std::vector<ClassRow>& classes,
                                      const Tallies& tallies) {
  std::vector<RooflineRow> rows;
  for (const ClassRow& of_class : classes) {
    if (!HasRoof(of_class.layer_class)) continue;
    const ClassSummary& sums = of_class.figures.sums;
    RooflineRow& row = rows.emplace_back();
    row.layer_class = of_class.layer_class;
    row.count = sums.kernels;
    row.gpu_ns = sums.gpu_ns;
    row.bound = of_class.bound;
    AddRoof(sums.efficiency, row);
  }
  std::vector<RooflineRow> kernels;
  for (const auto& [key, sums] : tallies.kernels) {
    if (HasRoof(key.second)) kernels.push_back(RowOf(key, sums));
  }
  SortByTime(kernels, [](const RooflineRow& row) { return row.gpu_ns; });
  rows.insert(rows.end(), kernels.begin(), kernels.end());
  return rows;
}

LongAndLowRows FindLongAndLow(const Tallies& tallies) {
  Efficiency all;
  int64_t gpu_ns = 0;
  uint64_t count = 0;
  for (const auto& [key, sums] : tallies.kernels) {
    if (!IsLayerProduct(key.second) || !sums.efficiency.of_peak()) continue;
    all.Add(sums.efficiency);
    gpu_ns += sums.gpu_ns;
    count += sums.count;
  }
  LongAndLowRows out;
  out.mean_ns = Ratio(static_cast<double>(gpu_ns), static_cast<double>(count));
  out.mean_of_peak = all.of_peak();
  if (!out.mean_ns || !out.mean_of_peak) return out;
  for (const auto& [key, sums] : tallies.kernels) {
    const std::optional<double> of_peak = sums.efficiency.of_peak();
    const auto mean_ns = Ratio(static_cast<double>(sums.gpu_ns),
                               static_cast<double>(sums.count));
    if (!IsLayerProduct(key.second) || !of_peak || !mean_ns) continue;
    if (*mean_ns <= *out.mean_ns || *of_peak >= *out.mean_of_peak) continue;
    out.rows.push_back({key.first, key.second, sums, *mean_ns, *of_peak});
  }
  SortByTime(out.rows, [](const LongAndLow& row) { return row.sums.gpu_ns; });
  return out;
}

std::vector<ConflictRow> ConflictRows(const Tallies& tallies,
                                      const Totals& totals) {
  std::vector<ConflictRow> rows;
  for (const auto& [conflict, sums] : tallies.conflicts) {
    rows.push_back({conflict, sums,
                    Ratio(static_cast<double>(sums.gpu_ns),
                          static_cast<double>(totals.all.gpu_ns))});
  }
  SortByTime(rows, [](const ConflictRow& row) { return row.sums.gpu_ns; });
  return rows;
}

}  // namespace dltap::analyzer
