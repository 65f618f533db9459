// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/world_place.h"

#include <map>
#include <set>

#include "analyzer/metrics/collectives/local_communicators.h"

namespace dltap::analyzer {

std::optional<WorldPlace> FindWorldPlace(const TraceModel& model,
                                         const Process& process) {
  LocalCommunicators made;
  made.Add(model, process, TimePart{});
  const MadeCommunicator* largest = nullptr;
  for (const MadeCommunicator* each : made.All()) {
    if (each->id.empty() || each->rank < 0 || each->rank >= each->ranks) {
      continue;
    }
    if (largest == nullptr || each->ranks > largest->ranks ||
        (each->ranks == largest->ranks && each->begin_ns < largest->begin_ns)) {
      largest = each;
    }
  }
  if (largest == nullptr) return std::nullopt;
  for (const MadeCommunicator* each : made.All()) {
    if (each->id == largest->id && each->rank != largest->rank) {
      return std::nullopt;
    }
  }
  return WorldPlace{largest->id, largest->rank, largest->ranks};
}

std::vector<bool> RankedByWorld(const std::vector<RankClaim>& claims) {
  std::map<int, int> claimed;
  for (const RankClaim& claim : claims) {
    if (claim.works && claim.rank) ++claimed[*claim.rank];
  }
  std::vector<bool> out(claims.size());
  std::set<std::string> ids;
  std::set<int> taken;  // by those whose environment counts
  std::set<int> places;
  size_t n = 0;
  for (size_t i = 0; i < claims.size(); ++i) {
    const RankClaim& claim = claims[i];
    out[i] =
        claim.works && claim.world && (!claim.rank || claimed[*claim.rank] > 1);
    if (out[i]) {
      ++n;
      ids.insert(claim.world->id);
      places.insert(claim.world->rank);
    } else if (claim.works && claim.rank) {
      taken.insert(*claim.rank);
    }
  }
  bool fits = ids.size() == 1 && places.size() == n;
  for (const int place : places) fits = fits && !taken.contains(place);
  if (!fits) out.assign(claims.size(), false);
  return out;
}

bool NeedsWorld(const TraceModel& model, const std::vector<bool>& works) {
  std::set<int> seen;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    const std::optional<int> rank = model.processes[p].rank;
    if (works[p] && (!rank || !seen.insert(*rank).second)) return true;
  }
  return false;
}

void RankByWorld(TraceModel& model) {
  std::vector<bool> works;
  for (const Process& process : model.processes) {
    works.push_back(!process.activities.empty());
  }
  if (!NeedsWorld(model, works)) return;
  std::vector<RankClaim> claims;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    const Process& process = model.processes[p];
    claims.push_back({works[p], process.rank, FindWorldPlace(model, process)});
  }
  const std::vector<bool> by_world = RankedByWorld(claims);
  for (size_t p = 0; p < model.processes.size(); ++p) {
    if (!by_world[p]) continue;
    model.processes[p].rank = claims[p].world->rank;
    model.processes[p].world_size = claims[p].world->ranks;
  }
}

}  // namespace dltap::analyzer
