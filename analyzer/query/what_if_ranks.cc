// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/what_if_ranks.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/query/usual_work.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMendedPercent = 3;
constexpr size_t kShown = 8;  // ranks that are replayed alone, stages

struct Mended {
  ReplayLengths lengths;
  std::vector<double> excess;  // of each rank, in ns of own work
  size_t unlike_steps = 0;
};

void MendRank(const ReplayRank& rank, const UsualWork& work, size_t place,
              Mended& mended) {
  OwnWork& own = mended.lengths.own[place];
  double shift = 0;  // of the replay against what was recorded
  for (const ReplayStep& step : rank.steps) {
    const StepMarks marks = MarksOf(rank, step);
    const std::vector<double>& usual = work.Of(rank, step, marks);
    if (work.IsAlone(rank, marks)) ++mended.unlike_steps;
    double at = marks.own.front() + shift;
    own.Add(marks.own.front(), at);
    for (size_t i = 1; i < marks.own.size(); ++i) {
      at += usual[i - 1];
      own.Add(marks.own[i], at);
    }
    mended.excess[place] += marks.own.back() + shift - at;
    shift = at - marks.own.back();
  }
}

Mended AllAsUsual(const ReplayJob& job) {
  const UsualWork work(job);
  Mended mended;
  mended.lengths.own.resize(job.ranks.size());
  mended.excess.resize(job.ranks.size());
  for (size_t i = 0; i < job.ranks.size(); ++i) {
    MendRank(job.ranks[i], work, i, mended);
  }
  std::map<uint32_t, std::vector<double>> alike;
  for (const ReplayCollective& collective : job.collectives) {
    if (collective.members > 0) {
      alike[collective.alike].push_back(collective.transfer);
    }
  }
  std::map<uint32_t, double> usual;
  for (auto& [key, transfers] : alike) usual[key] = Median(transfers);
  for (const ReplayCollective& collective : job.collectives) {
    mended.lengths.transfers.push_back(usual[collective.alike]);
  }
  return mended;
}

ReplayLengths AsRecorded(const ReplayJob& job) {
  ReplayLengths lengths;
  lengths.own.resize(job.ranks.size());
  for (const ReplayCollective& collective : job.collectives) {
    lengths.transfers.push_back(collective.transfer);
  }
  return lengths;
}

double RecordedStep(const ReplayJob& job) {
  std::map<int64_t, std::vector<double>> by_step;
  for (const ReplayRank& rank : job.ranks) {
    for (const ReplayStep& step : rank.steps) {
      by_step[step.step].push_back(static_cast<double>(step.recorded_ns));
    }
  }
  return MeanOfMedians(by_step);
}

class Scorer {
 public:
  Scorer(const ReplayJob& job, const ReplayLengths& usual, double replayed_ns,
         double ideal_ns)
      : job_(job),
        recorded_(AsRecorded(job)),
        usual_(usual),
        replayed_ns_(replayed_ns),
        ideal_ns_(ideal_ns) {}

  // Of the slowdown, what goes when these are as usual.
  template <typename Chosen>
  double ShareOf(Chosen chosen, bool with_transfers = false) const {
    ReplayLengths lengths = recorded_;
    for (size_t i = 0; i < job_.ranks.size(); ++i) {
      if (chosen(job_.ranks[i])) lengths.own[i] = usual_.own[i];
    }
    if (with_transfers) lengths.transfers = usual_.transfers;
    return ShareWith(lengths);
  }

  // When only the transfers are that this rank takes part in.
  double ShareOfTransfers(const ReplayRank& rank) const {
    ReplayLengths lengths = recorded_;
    for (const ReplayTaking& taking : rank.takings) {
      for (const uint32_t collective : taking.collectives) {
        lengths.transfers[collective] = usual_.transfers[collective];
      }
    }
    return ShareWith(lengths);
  }

  // By which the rank's transfers are longer than usual, in ns.
  double TransferExcess(const ReplayRank& rank) const {
    double sum = 0;
    for (const ReplayTaking& taking : rank.takings) {
      for (const uint32_t collective : taking.collectives) {
        sum += recorded_.transfers[collective] - usual_.transfers[collective];
      }
    }
    return sum;
  }

 private:
  double ShareWith(const ReplayLengths& lengths) const {
    if (replayed_ns_ <= ideal_ns_) return 0;
    return (replayed_ns_ - ReplayOf(job_, lengths).mean_step_ns) /
           (replayed_ns_ - ideal_ns_);
  }

  const ReplayJob& job_;
  const ReplayLengths recorded_;
  const ReplayLengths& usual_;
  const double replayed_ns_;
  const double ideal_ns_;
};

// The most excess first.
std::vector<size_t> WorstFirst(const std::vector<double>& excess) {
  std::vector<size_t> order(excess.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return excess[a] > excess[b]; });
  return order;
}

// The worst by `excess`, each with its share; the largest share first.
template <typename Share>
std::vector<WhatIfRanks::Rank> WorstOf(const ReplayJob& job,
                                       const std::vector<double>& excess,
                                       Share share_of) {
  std::vector<WhatIfRanks::Rank> worst;
  for (const size_t place : WorstFirst(excess)) {
    if (worst.size() == kShown) break;
    const ReplayRank& rank = job.ranks[place];
    const auto devices =
        std::ranges::count(job.ranks, rank.rank, &ReplayRank::rank);
    worst.push_back({rank.rank, rank.device, share_of(rank), devices > 1});
  }
  std::stable_sort(worst.begin(), worst.end(),
                   [](const WhatIfRanks::Rank& a, const WhatIfRanks::Rank& b) {
                     return a.share > b.share;
                   });
  return worst;
}

void ScoreRanks(const ReplayJob& job, const Scorer& scorer,
                const std::vector<double>& excess, WhatIfRanks& found) {
  found.ranks = WorstOf(job, excess, [&](const ReplayRank& chosen) {
    return scorer.ShareOf([&](const ReplayRank& r) { return &r == &chosen; });
  });
  std::vector<double> transfers;
  for (const ReplayRank& rank : job.ranks) {
    transfers.push_back(scorer.TransferExcess(rank));
  }
  found.by_transfers = WorstOf(job, transfers, [&](const ReplayRank& chosen) {
    return scorer.ShareOfTransfers(chosen);
  });
  const std::vector<size_t> order = WorstFirst(excess);
  const size_t n = (job.ranks.size() * kMendedPercent + 99) / 100;
  for (size_t i = 0; i < n; ++i) {
    const int64_t rank = job.ranks[order[i]].rank;
    if (std::ranges::count(found.mended_ranks, rank) > 0) continue;
    found.mended_ranks.push_back(rank);
  }
  if (n == 1) found.mended_ranks = {found.ranks.front().rank};
  found.mended_share = scorer.ShareOf([&](const ReplayRank& rank) {
    return std::find(found.mended_ranks.begin(), found.mended_ranks.end(),
                     rank.rank) != found.mended_ranks.end();
  });
}

// What a rank does in most of its steps.
Duty UsualDutyOf(const ReplayRank& rank) {
  std::map<std::vector<uint32_t>, size_t> counts;
  std::pair<size_t, std::vector<uint32_t>> most;
  for (const ReplayStep& step : rank.steps) {
    std::vector<uint32_t> parts = MarksOf(rank, step).parts;
    const size_t count = ++counts[parts];
    if (count > most.first) most = {count, std::move(parts)};
  }
  return {rank.role, std::move(most.second)};
}

struct Stage {
  std::vector<const ReplayRank*> members;
  double excess = 0;
};

// The stages with the most excess first.
std::vector<Stage> StagesOf(const ReplayJob& job,
                            const std::vector<double>& excess) {
  std::map<Duty, Stage> by_duty;
  for (size_t i = 0; i < job.ranks.size(); ++i) {
    Stage& stage = by_duty[UsualDutyOf(job.ranks[i])];
    stage.members.push_back(&job.ranks[i]);
    stage.excess += excess[i];
  }
  std::vector<Stage> stages;
  for (auto& [duty, stage] : by_duty) stages.push_back(std::move(stage));
  std::ranges::stable_sort(stages, std::greater(), &Stage::excess);
  return stages;
}

void ScoreRoles(const ReplayJob& job, const Scorer& scorer,
                const std::vector<double>& excess, WhatIfRanks& found) {
  const std::vector<Stage> stages = StagesOf(job, excess);
  found.stages = stages.size();
  found.alone = static_cast<size_t>(std::ranges::count_if(
      stages, [](const Stage& stage) { return stage.members.size() == 1; }));
  if (stages.size() < 2) return;
  for (size_t i = 0; i < std::min(stages.size(), kShown); ++i) {
    const auto& members = stages[i].members;
    WhatIfRanks::Role role;
    for (const ReplayRank* const rank : members) {
      role.ranks.push_back(rank->rank);
    }
    role.share = scorer.ShareOf([&](const ReplayRank& rank) {
      return std::ranges::count(members, &rank) > 0;
    });
    found.roles.push_back(std::move(role));
  }
}

}  // namespace

std::string NameOf(const WhatIfRanks::Rank& rank) {
  std::string name = absl::StrCat("rank ", rank.rank);
  if (rank.has_more_devices) absl::StrAppend(&name, " device ", rank.device);
  return name;
}

WhatIfRanks FindSlowRanks(const ReplayJob& job) {
  WhatIfRanks found;
  const Mended usual = AllAsUsual(job);
  const ReplayResult replayed = ReplayOf(job, AsRecorded(job));
  for (const ReplayRank& rank : job.ranks) {
    found.steps = std::max(found.steps, rank.steps.size());
  }
  found.unlike_steps = usual.unlike_steps;
  found.devices = job.ranks.size();
  found.stuck_ranks = replayed.stuck_ranks;
  found.recorded_ns = RecordedStep(job);
  found.replayed_ns = replayed.mean_step_ns;
  found.ideal_ns = ReplayOf(job, usual.lengths).mean_step_ns;
  const Scorer scorer(job, usual.lengths, found.replayed_ns, found.ideal_ns);
  found.own_share = scorer.ShareOf([](const ReplayRank&) { return true; });
  found.transfer_share =
      scorer.ShareOf([](const ReplayRank&) { return false; }, true);
  ScoreRanks(job, scorer, usual.excess, found);
  ScoreRoles(job, scorer, usual.excess, found);
  return found;
}

}  // namespace dltap::analyzer
