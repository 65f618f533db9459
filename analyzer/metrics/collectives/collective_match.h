// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_MATCH_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_MATCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/collectives/collective_run.h"

// Which kernels of several ranks are one collective, and how long each waited
// for the last of them. METRICS.md "Collectives".
namespace dltap::analyzer {

// All ranks of one communicator that the trace has.
struct Communicator {
  std::vector<size_t> members;  // locals, in the order of their processes
  int ranks = 0;                // in all; 0: unknown
  bool ambiguous = false;       // others look like its ranks too

  // Whether every rank is in the trace.
  bool is_whole() const {
    return ranks > 0 && members.size() == static_cast<size_t>(ranks);
  }
};

// What is known of a run beside the run itself.
struct MatchedRun {
  static constexpr size_t kNoCollective = static_cast<size_t>(-1);

  size_t communicator = 0;
  // Equal for all runs of a collective of all ranks of the communicator;
  // kNoCollective: not known, or sends and receives.
  size_t collective = kNoCollective;
  size_t others = 0;      // runs of other ranks that are the same collective
  int64_t waited_ns = 0;  // for the last rank of the trace
  bool is_whole = false;  // which is the last of all
  bool was_last = false;  // by more than the clocks are unsure of
  int64_t late_ns = 0;    // of the last: after the last but one
  int64_t others_waited_ns = 0;  // of the last
};

struct CollectiveMatches {
  std::vector<Communicator> communicators;
  std::vector<MatchedRun> runs;  // one per CollectiveRuns::runs
  // Half of the matched ends lie within this of each other, after the clocks
  // were aligned; nullopt: nothing matched.
  std::optional<int64_t> residual_ns;
};

CollectiveMatches MatchCollectives(const TraceModel& model,
                                   const CollectiveRuns& runs);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_MATCH_H_
