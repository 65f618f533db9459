// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_WORLD_PLACE_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_WORLD_PLACE_H_

#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The place of a process in the largest communicator that it made.
struct WorldPlace {
  std::string id;  // equal on all its ranks
  int rank = 0;
  int ranks = 0;
};

// Of several as large, the one that was made first: all ranks make those of all
// in the same order. nullopt: it made none, or holds several places in it (a
// GPU each).
std::optional<WorldPlace> FindWorldPlace(const TraceModel& model,
                                         const Process& process);

// What is known of the rank of a process.
struct RankClaim {
  bool works = false;            // does GPU work
  std::optional<int> rank = {};  // of its environment
  std::optional<WorldPlace> world = {};
};

// The processes whose place in the communicator is their rank: they have none
// of their environment, or one that several have (a variable of the node, which
// all that a program starts there inherit). None where the places are not those
// of one communicator, each with its own number: then it is not that of all.
std::vector<bool> RankedByWorld(const std::vector<RankClaim>& claims);

// Whether a communicator can say more than the environments of the processes
// do. `works`: which of them do GPU work.
bool NeedsWorld(const TraceModel& model, const std::vector<bool>& works);

// Gives them the ranks above, and the size of the communicator.
void RankByWorld(TraceModel& model);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_WORLD_PLACE_H_
