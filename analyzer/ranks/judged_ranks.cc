// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/judged_ranks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace dltap::analyzer {
namespace {

using ByRank = std::map<int64_t, JudgedRank>;

JudgedRank& RankOf(const Answer& answer, size_t row, ByRank& ranks) {
  const int64_t rank = answer.Whole(row, "rank").value_or(-1);
  JudgedRank& out = ranks[rank];
  out.rank = rank;
  if (out.host.empty()) out.host = answer.Word(row, "host");
  return out;
}

void AddLate(const Answer& late, ByRank& ranks) {
  for (size_t i = 0; i < late.size(); ++i) {
    JudgedRank& rank = RankOf(late, i, ranks);
    rank.blame_ms = late.Number(i, "blame_ms_per_step");
    rank.step_ms = late.Number(i, "step_ms");
    rank.is_late = late.Word(i, "verdict") == "straggler";
    rank.since_step = late.Whole(i, "since_step");
    rank.until_step = late.Whole(i, "until_step");
  }
}

// A rank with several devices is as slow as its slowest, which comes first.
void AddStragglers(const Answer& stragglers, ByRank& ranks) {
  for (size_t i = 0; i < stragglers.size(); ++i) {
    JudgedRank& rank = RankOf(stragglers, i, ranks);
    if (rank.slower_by) continue;
    rank.slower_by = stragglers.Number(i, "slower_by");
    rank.is_straggler = stragglers.Word(i, "verdict") == "straggler";
    rank.is_alone = stragglers.Word(i, "verdict") == "alone";
    const auto since = stragglers.Whole(i, "since_step");
    if (rank.is_straggler && since) rank.since_step = since;
    if (!rank.since_step) rank.since_step = since;
    if (rank.is_straggler || rank.is_late) continue;
    const auto until = stragglers.Whole(i, "until_step");
    if (until) rank.until_step = until;
  }
}

void AddCauses(const Answer& causes, ByRank& ranks) {
  for (size_t i = 0; i < causes.size(); ++i) {
    JudgedRank& rank = RankOf(causes, i, ranks);
    rank.cause = causes.Word(i, "cause");
    rank.cause_ms = causes.Number(i, "ms_per_step");
    // The one quantity that went up tells best when.
    if (rank.has_cause()) rank.since_step = causes.Whole(i, "since_step");
  }
}

// Who is waited for, who is slow, who is a little so, the rest.
int Class(const JudgedRank& rank) {
  if (rank.is_late) return 0;
  if (rank.is_straggler) return 1;
  return rank.has_cause() ? 2 : 3;
}

}  // namespace

std::vector<JudgedRank> JudgedRanks(const RanksReport& report) {
  ByRank ranks;
  AddLate(report.of("late"), ranks);
  AddStragglers(report.of("stragglers"), ranks);
  AddCauses(report.of("cause"), ranks);
  std::vector<JudgedRank> out;
  for (auto& [number, rank] : ranks) out.push_back(std::move(rank));
  const auto key = [](const JudgedRank& rank) {
    const bool by_blame = Class(rank) == 0 || Class(rank) == 3;
    const double ms = (by_blame ? rank.blame_ms : rank.cause_ms).value_or(0);
    return std::make_tuple(Class(rank), -ms, rank.rank);
  };
  std::ranges::sort(out, {}, key);
  return out;
}

}  // namespace dltap::analyzer
