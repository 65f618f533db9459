// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/what_if_stragglers.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace dltap::analyzer {
namespace {

// Eq. (5) of the paper: of the workers.
constexpr size_t kMendedPercent = 3;

struct Scorer {
  const PipelineReplay& replay;
  const OperationLengths usual;
  const double ideal_s;

  template <typename Chosen>
  double SlowdownByOnly(Chosen chosen) const {
    return replay.MeanStep(replay.With(usual, replay.lengths(), chosen)) /
           ideal_s;
  }

  // Of the slowdown, what goes when the chosen are as usual.
  template <typename Chosen>
  double ShareOf(double replayed_s, Chosen chosen) const {
    if (replayed_s <= ideal_s) return 0;
    const double mended_s =
        replay.MeanStep(replay.With(replay.lengths(), usual, chosen));
    return (replayed_s - mended_s) / (replayed_s - ideal_s);
  }
};

// As many replays as there are workers would be slow: a worker is as slow as
// its replica and its stage are, whichever is less.
void RankWorkers(const PipelineReplay& replay, WhatIfStragglers& found) {
  for (const StragglerShare& stage : found.stages) {
    for (const StragglerShare& replica : found.replicas) {
      found.workers.push_back({replay.rank(stage.id, replica.id),
                               std::min(stage.slowdown, replica.slowdown)});
    }
  }
  std::sort(found.workers.begin(), found.workers.end(),
            [](const StragglerShare& a, const StragglerShare& b) {
              return std::tie(b.slowdown, a.id) < std::tie(a.slowdown, b.id);
            });
  const size_t n = (found.workers.size() * kMendedPercent + 99) / 100;
  for (size_t i = 0; i < n; ++i) {
    found.mended_workers.push_back(found.workers[i].id);
  }
}

}  // namespace

WhatIfStragglers FindStragglers(const PipelineReplay& replay) {
  WhatIfStragglers found;
  OperationLengths usual = replay.Usual();
  found.replayed_s = replay.MeanStep(replay.lengths());
  found.ideal_s = replay.MeanStep(usual);
  const Scorer scorer{replay, std::move(usual), found.ideal_s};
  for (int replica = 0; replica < replay.replicas(); ++replica) {
    const auto chosen = [&](const PipelineNode&, int r) {
      return r == replica;
    };
    found.replicas.push_back({replica, scorer.SlowdownByOnly(chosen)});
  }
  for (int stage = 0; stage < replay.graph().stages; ++stage) {
    const auto chosen = [&](const PipelineNode& node, int) {
      return node.stage == stage;
    };
    found.stages.push_back({stage, scorer.SlowdownByOnly(chosen)});
    found.stage_shares.push_back(scorer.ShareOf(found.replayed_s, chosen));
  }
  RankWorkers(replay, found);
  const std::set<int> mended(found.mended_workers.begin(),
                             found.mended_workers.end());
  found.worker_share =
      scorer.ShareOf(found.replayed_s, [&](const PipelineNode& node, int r) {
        return mended.contains(replay.rank(node.stage, r));
      });
  return found;
}

}  // namespace dltap::analyzer
