// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/collective_figures.h"

#include <algorithm>
#include <map>

#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

CollectiveRow RowOf(const CollectiveKey& key, const CollectiveSums& sums) {
  CollectiveRow row;
  row.key = key;
  row.sums = sums;
  const int64_t all_ns = sums.gpu.all_ns();
  row.hidden_ns = all_ns - sums.exposed_ns;
  row.is_lower_bound = sums.gpu.unknown_ns > 0;
  if (sums.gpu.unknown_ns < all_ns) {
    row.waiting_ns = sums.gpu.waiting_ns;
    if (!row.is_lower_bound || sums.gpu.transfer_ns > 0) {
      row.transfer_ns = sums.gpu.transfer_ns;
    }
  }
  row.mean_ns =
      Ratio(static_cast<double>(all_ns), static_cast<double>(sums.count));
  const auto moving =
      static_cast<double>(row.is_lower_bound ? all_ns : sums.gpu.transfer_ns);
  if (key.bytes) row.algorithm_bandwidth = Ratio(sums.bytes, moving);
  if (sums.with_bus == sums.count) {
    row.bus_bandwidth = Ratio(sums.bus_bytes, moving);
    if (!row.is_lower_bound) {
      row.of_link = Ratio(sums.bus_bytes, sums.link_ns_x_peak);
    }
  }
  return row;
}

}  // namespace

CollectiveFigures CollectiveFiguresOf(const CollectiveTallies& tallies) {
  CollectiveFigures out;
  for (const auto& [key, sums] : tallies.rows) {
    out.rows.push_back(RowOf(key, sums));
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const CollectiveRow& a, const CollectiveRow& b) {
                     return a.sums.gpu.all_ns() > b.sums.gpu.all_ns();
                   });
  for (const auto& [name, sums] : tallies.communicators) {
    out.communicators.push_back({name, sums});
  }
  for (const auto& [key, sums] : tallies.ranks) {
    out.ranks.push_back({key, sums,
                         Ratio(static_cast<double>(sums.last),
                               static_cast<double>(sums.collectives)),
                         Ratio(static_cast<double>(sums.late_ns),
                               static_cast<double>(sums.last))});
  }
  std::stable_sort(out.ranks.begin(), out.ranks.end(),
                   [](const RankRow& a, const RankRow& b) {
                     return a.sums.others_waited_ns > b.sums.others_waited_ns;
                   });
  out.residual_ns = tallies.residual_ns;
  return out;
}

const RankRow* StragglerOf(const CollectiveFigures& figures) {
  if (figures.ranks.empty()) return nullptr;
  int64_t all = 0;
  for (const RankRow& row : figures.ranks) all += row.sums.waited_ns;
  const RankRow& most = figures.ranks.front();
  return 2 * most.sums.others_waited_ns > all ? &most : nullptr;
}

}  // namespace dltap::analyzer
