// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_WHAT_IF_RANKS_H_
#define DLTAP_ANALYZER_QUERY_WHAT_IF_RANKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/query/job_replay.h"

namespace dltap::analyzer {

// "What would a step be if nothing straggled?" of own traces. After
// "Understanding Stragglers in Large Model Training Using What-if Analysis"
// (Lin et al., OSDI 2025): what ranks that run the same do between two
// collectives takes the median over them, and a collective takes the median of
// those of its kind, size and number of ranks.
struct WhatIfRanks {
  struct Rank {
    int64_t rank = 0;
    int64_t device = 0;
    double share = 0;  // of the slowdown, that goes when it alone is as usual
    bool has_more_devices = false;
  };
  struct Role {
    std::vector<int64_t> ranks;
    double share = 0;
  };

  size_t steps = 0;
  // Those in which a rank met in other collectives than ranks of its role: its
  // own work stayed as recorded.
  size_t unlike_steps = 0;
  // Devices that do what no other does: what they do in half of their steps is
  // taken for usual, so that a fault of most of them is not seen.
  size_t alone = 0;
  size_t devices = 0;
  size_t stuck_ranks = 0;  // see ReplayResult
  double recorded_ns = 0;  // a step, median over ranks
  double replayed_ns = 0;  // with everything as recorded
  double ideal_ns = 0;     // with everything as usual
  // Shares are of the slowdown, and are nothing where there is none: they would
  // divide noise. One may be negative: without it others wait longer.
  double own_share = 0;  // of all ranks' own work
  double transfer_share = 0;
  std::vector<Rank> ranks;  // the worst by their own work, worst first
  // By the transfers that they take part in, worst first.
  std::vector<Rank> by_transfers;
  // The paper's M_W: of the worst 3 % of the ranks together, one at least.
  std::vector<int64_t> mended_ranks;
  double mended_share = 0;
  size_t stages = 0;  // ranks that do the same are one
  // M_S, of the worst stages; empty where there is one.
  std::vector<Role> roles;

  // The replay of what was recorded gives what was recorded.
  bool is_close() const {
    return stuck_ranks == 0 && replayed_ns > 0.95 * recorded_ns &&
           replayed_ns < 1.05 * recorded_ns;
  }
  double slowdown() const { return ideal_ns > 0 ? replayed_ns / ideal_ns : 1; }
  bool has_shares() const { return slowdown() >= 1.01; }
  std::optional<double> Share(double share) const {
    return has_shares() ? std::optional(share) : std::nullopt;
  }
};

// "rank 3"; "rank 3 device 1" where it has several.
std::string NameOf(const WhatIfRanks::Rank& rank);

WhatIfRanks FindSlowRanks(const ReplayJob& job);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_WHAT_IF_RANKS_H_
