// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_COLLECTIVE_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_COLLECTIVE_FIGURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/summary/collective_sums.h"

namespace dltap::analyzer {

// The kernels of one collective, communicator and size.
struct CollectiveRow {
  CollectiveKey key;
  CollectiveSums sums;
  std::optional<int64_t> waiting_ns;   // nullopt: no other rank is in the trace
  std::optional<int64_t> transfer_ns;  // the same; of those fully known
  int64_t hidden_ns = 0;
  std::optional<double> mean_ns;
  // Bytes per ns, which is GB/s.
  std::optional<double> algorithm_bandwidth;
  std::optional<double> bus_bandwidth;
  bool is_lower_bound = false;  // over the whole kernels, waiting included
  std::optional<double> of_link;
};

// One rank of one communicator.
struct RankRow {
  RankKey key;
  LateSums sums;
  std::optional<double> last_share;    // of the collectives
  std::optional<double> mean_late_ns;  // when it was last
};

struct CommunicatorRow {
  std::string name;
  CommunicatorSums sums;
};

struct CollectiveFigures {
  std::vector<CollectiveRow> rows;  // by time, descending
  std::vector<CommunicatorRow> communicators;
  std::vector<RankRow> ranks;  // by how long others waited for it, descending
  std::optional<int64_t> residual_ns;
};

CollectiveFigures CollectiveFiguresOf(const CollectiveTallies& tallies);

// The rank for which all others waited more than for all the rest together;
// nullptr: there is none.
const RankRow* StragglerOf(const CollectiveFigures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_COLLECTIVE_FIGURES_H_
