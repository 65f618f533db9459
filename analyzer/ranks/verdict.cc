// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/verdict.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/ranks/rank_names.h"
#include "analyzer/ranks/uneven_stages.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostGroups = 3;  // of stragglers that have a sentence
constexpr size_t kMostHangs = 3;

// Ranks that are slow alike: of one host, or with the same data.
struct Group {
  const JudgedRank* first = nullptr;  // the one that costs most
  std::vector<int64_t> ranks;
};

// A stage with more work: what that makes of its ranks is told with the stage.
bool IsOfItsStage(const JudgedRank& rank,
                  const std::vector<UnevenStage>& stages) {
  if (!IsIn(stages, rank.rank)) return false;
  return rank.cause == "data" || rank.cause == "kernels" ||
         (!rank.has_cause() && !rank.is_straggler);
}

std::vector<Group> GroupsOf(const std::vector<JudgedRank>& judged,
                            const std::vector<UnevenStage>& stages) {
  std::vector<Group> groups;
  for (const JudgedRank& rank : judged) {
    if (!rank.is_named()) continue;
    if (IsOfItsStage(rank, stages)) continue;
    Group* group = nullptr;
    for (Group& each : groups) {
      const JudgedRank& first = *each.first;
      if (first.cause == rank.cause && first.since_step == rank.since_step &&
          first.is_late == rank.is_late) {
        group = &each;
      }
    }
    if (group == nullptr) group = &groups.emplace_back(Group{&rank, {}});
    group->ranks.push_back(rank.rank);
  }
  return groups;
}

// A time in milliseconds, with three digits or so.
std::string Time(std::optional<double> ms) {
  if (!ms) return "?";
  return Fixed(*ms, *ms >= 100 ? 0 : *ms >= 10 ? 1 : 2) + " ms";
}

std::string Since(const JudgedRank& rank, const RanksReport& report) {
  const auto first = report.of("overview").Whole(0, "first_step");
  if (!rank.since_step) return "";
  if (rank.since_step == first) return " from the first step on";
  return absl::StrCat(" since step ", *rank.since_step);
}

std::string Subject(const Group& group) {
  std::string names = RankNames(group.ranks);
  names[0] = static_cast<char>(std::toupper(names[0]));
  return names;
}

// "its GPU: ..."
std::string CauseText(const JudgedRank& rank, bool is_one) {
  const std::string ms = Time(rank.cause_ms);
  const std::string its = is_one ? "its " : "their ";
  if (rank.cause == "gpu") {
    return absl::StrCat(its, is_one ? "GPU" : "GPUs",
                        ", on which the same work takes ", ms,
                        " a step longer than elsewhere");
  }
  if (rank.cause == "host") {
    return absl::StrCat(its, "host, for which the GPU waits ", ms,
                        " a step longer than elsewhere");
  }
  if (rank.cause == "input") {
    return absl::StrCat(its, "input, for which the GPU waits ", ms,
                        " a step longer than elsewhere");
  }
  if (rank.cause == "data") {
    return absl::StrCat(its, "share of the data: ", ms,
                        " a step of work (FLOPs) more than elsewhere");
  }
  if (rank.cause == "kernels") {
    return absl::StrCat(its,
                        "kernels, of which there are more than elsewhere: ", ms,
                        " a step");
  }
  if (rank.cause == "link") {
    return absl::StrCat(its, "link, over which transfers take ", ms,
                        " a step longer than elsewhere");
  }
  if (rank.is_alone) {
    return "not known: no other rank runs so many kernels a step, so that its "
           "time is compared with none";
  }
  return "not found: no part of the step is longer than elsewhere";
}

std::string LateSentence(const Group& group, const RanksReport& report) {
  const JudgedRank& rank = *group.first;
  const bool is_one = group.ranks.size() == 1;
  const auto all = report.of("overview").Whole(0, "ranks").value_or(0);
  const int64_t others = all - static_cast<int64_t>(group.ranks.size());
  const std::string who =
      others > 0
          ? absl::StrCat("the ", others > 1 ? WithThousands(others) + " " : "",
                         others > 1 ? "other ranks" : "other rank")
          : "each other";
  return absl::StrCat(Subject(group), is_one ? " makes " : " make ",
                      "collectives of ", who, " wait ", is_one ? "" : "up to ",
                      Time(rank.blame_ms), " in each ", Time(rank.step_ms),
                      " step", Since(rank, report),
                      "; cause: ", CauseText(rank, is_one));
}

std::string OwnSentence(const Group& group, const RanksReport& report) {
  const JudgedRank& rank = *group.first;
  const bool is_one = group.ranks.size() == 1;
  if (rank.cause == "link") {
    return absl::StrCat("The link of ", RankNames(group.ranks),
                        " is slow: transfers that it takes part in are ",
                        Time(rank.cause_ms), " a step longer than elsewhere",
                        Since(rank, report), "; nobody comes late by it");
  }
  const std::string by =
      rank.is_straggler && rank.slower_by
          ? absl::StrCat(PercentText(rank.slower_by), " longer")
          : absl::StrCat(Time(rank.cause_ms), " a step longer");
  return absl::StrCat(Subject(group), is_one ? " works " : " work ", by,
                      " than ranks that run the same", Since(rank, report),
                      ", and no collective waits long for ",
                      is_one ? "it" : "them",
                      "; cause: ", CauseText(rank, is_one));
}

void AddHangs(const RanksReport& report, std::vector<std::string>& out) {
  const Answer& missing = report.of("missing");
  std::set<int64_t> told;
  for (size_t i = 0; i < missing.size(); ++i) {
    const std::string finding = missing.Word(i, "finding");
    const auto rank = missing.Whole(i, "rank");
    if (!finding.starts_with("never came") || !rank) continue;
    if (told.size() == kMostHangs || !told.insert(*rank).second) continue;
    const auto nth = missing.Whole(i, "nth");
    out.push_back(absl::StrCat(
        "Rank ", *rank, " never came to ", missing.Word(i, "kind"),
        nth ? absl::StrCat(" ", *nth) : "", " of communicator ",
        missing.Word(i, "communicator"),
        finding == "never came" ? "" : ", where others wait for it"));
  }
}

void AddGuesses(const RanksReport& report, std::vector<std::string>& out) {
  const Answer& missing = report.of("missing");
  for (size_t i = 0; i < missing.size(); ++i) {
    const auto rank = missing.Whole(i, "rank");
    if (missing.Word(i, "finding") != "perhaps waited for" || !rank) continue;
    out.push_back(absl::StrCat(
        "No rank left ", missing.Word(i, "kind"), " ",
        missing.Whole(i, "nth").value_or(0), " of communicator ",
        missing.Word(i, "communicator"), "; perhaps they wait for rank ", *rank,
        ", which stopped in no call while all others hang in one"));
    return;
  }
}

void AddRecovered(const RanksReport& report, std::vector<std::string>& out) {
  size_t told = 0;
  for (const JudgedRank& rank : report.judged) {
    if (rank.is_named() || !rank.until_step || told == kMostGroups) continue;
    ++told;
    out.push_back(absl::StrCat("Rank ", rank.rank, " was slow until step ",
                               *rank.until_step));
  }
}

// What the steps would be without all that.
void AddReplay(const RanksReport& report, std::vector<std::string>& out) {
  if (!report.what_if || !report.what_if->has_shares()) return;
  const WhatIfRanks& found = *report.what_if;
  const bool is_work = found.own_share >= found.transfer_share;
  const WhatIfRanks::Rank& worst =
      is_work ? found.ranks.front() : found.by_transfers.front();
  out.push_back(absl::StrCat(
      "Replayed with work and transfers as usual, a step takes ",
      Time(found.ideal_ns * 1e-6), " in place of ",
      Time(found.replayed_ns * 1e-6), "; ", PercentText(worst.share),
      " of the difference goes with ", is_work ? "the work" : "the transfers",
      " of ", NameOf(worst), " alone"));
}

std::string NobodySentence(const RanksReport& report) {
  const Answer& overview = report.of("overview");
  if (overview.empty()) return "The data set holds no rank of this run";
  if (!overview.Whole(0, "steps")) {
    return "No steps were found, so that no rank can be judged";
  }
  if (overview.Whole(0, "ranks").value_or(0) < 2) {
    return "There is one rank, and none to compare it with";
  }
  // What a rank cost that recovered is no longer so.
  const auto now = std::ranges::find_if(
      report.judged,
      [](const JudgedRank& rank) { return !rank.until_step.has_value(); });
  const auto blame = now == report.judged.end() ? std::nullopt : now->blame_ms;
  return absl::StrCat(
      "No rank stands out",
      blame ? absl::StrCat(": the one that comes latest makes others wait ",
                           Time(blame), " of each ",
                           Time(overview.Number(0, "p50_ms")), " step")
            : "");
}

}  // namespace

std::vector<std::string> VerdictOf(const RanksReport& report) {
  std::vector<std::string> out;
  AddHangs(report, out);
  AddGuesses(report, out);
  const std::vector<UnevenStage> stages = UnevenStagesOf(report.of("stages"));
  for (const UnevenStage& stage : stages) {
    out.push_back(StageSentence(stage));
  }
  const std::vector<Group> groups = GroupsOf(report.judged, stages);
  for (size_t i = 0; i < groups.size() && i < kMostGroups; ++i) {
    const Group& group = groups[i];
    out.push_back(group.first->is_late ? LateSentence(group, report)
                                       : OwnSentence(group, report));
  }
  if (groups.size() > kMostGroups) {
    out.push_back(absl::StrCat(groups.size() - kMostGroups,
                               " more such groups of ranks are below"));
  }
  if (groups.empty() && stages.empty()) out.push_back(NobodySentence(report));
  AddReplay(report, out);
  AddRecovered(report, out);
  return out;
}

}  // namespace dltap::analyzer
