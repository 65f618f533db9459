// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/ask_for_ranks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/output/near_names.h"
#include "analyzer/query/inquiry.h"
#include "analyzer/query/job_replay_input.h"
#include "analyzer/ranks/judged_ranks.h"
#include "analyzer/ranks/verdict.h"
#include "analyzer/ranks/what_is_missing.h"

namespace dltap::analyzer {
namespace {

using Settings = std::map<std::string, std::string>;

struct Asked {
  const char* question;
  Settings settings;
};

// A rank a row, where ranks are what the answer is of.
constexpr const char* kAllRanks = "1000000";
// Of findings and groups: no report is longer.
constexpr const char* kMostRows = "10000";

const std::vector<Asked>& Questions() {
  static const std::vector<Asked> questions = {
      {"overview", {}},
      {"ranks", {{"all", "1"}}},
      {"clocks", {}},
      {"missing", {{"top", kMostRows}}},
      {"late", {{"top", kAllRanks}}},
      {"stragglers", {{"top", kAllRanks}}},
      {"cause", {{"top", kAllRanks}}},
      {"steps", {{"by", "length"}, {"top", "5"}}},
      {"classes", {}},
      {"sizes", {}},
      {"groups", {{"top", kMostRows}}},
      {"stages", {}}};
  return questions;
}

absl::StatusOr<std::string> ChooseRun(const Answer& runs,
                                      const std::string& wanted) {
  if (runs.empty()) return wanted;
  if (wanted.empty()) return runs.Word(0, "run");
  std::vector<std::string> names;
  for (size_t i = 0; i < runs.size(); ++i) names.push_back(runs.Word(i, "run"));
  if (std::ranges::find(names, wanted) != names.end()) return wanted;
  return absl::NotFoundError(absl::StrCat("--run ", wanted, ": no such run",
                                          WhatThereIs(wanted, names)));
}

// So many neighbours are one, so that 0 to `last` are `most`.
int64_t GroupsOf(int64_t last, size_t most) {
  const int64_t n = static_cast<int64_t>(std::max<size_t>(most, 1));
  return last / n + 1;
}

absl::StatusOr<RankMap> AskForMap(Inquiry& inquiry, const RanksReport& report,
                                  const RanksRequest& request) {
  RankMap map;
  const Answer& ranks = report.of("ranks");
  int64_t last_rank = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    last_rank = std::max(last_rank, ranks.Whole(i, "rank").value_or(0));
  }
  map.ranks_per_row = GroupsOf(last_rank, request.map_rows);
  const int64_t rows = last_rank / map.ranks_per_row + 1;
  const int64_t last_step =
      report.of("overview").Whole(0, "last_step").value_or(0);
  map.steps_per_column = GroupsOf(
      last_step, std::min(request.map_columns,
                          request.map_cells / static_cast<size_t>(rows)));
  auto cells = inquiry.Ask(
      "heatmap", {{"ranks_per_row", absl::StrCat(map.ranks_per_row)},
                  {"steps_per_column", absl::StrCat(map.steps_per_column)},
                  {"top", kAllRanks}});
  if (!cells.ok()) return cells.status();
  map.cells = *std::move(cells);
  return map;
}

Settings ScopeOf(const std::string& run, const RanksRequest& request) {
  Settings scope = {{"run", run}};
  if (request.steps) {
    scope["from_step"] = absl::StrCat(request.steps->first);
    scope["to_step"] = absl::StrCat(request.steps->second);
  }
  return scope;
}

// A replay reads all kernels; of more, `dltap query --replay` does.
constexpr int64_t kMostReplayed = 4'000'000;

absl::StatusOr<int64_t> KernelsOf(Dataset& dataset) {
  Answer answer;
  const absl::Status status = dataset.Query(
      "SELECT CAST(coalesce(sum(kernels), 0) AS BIGINT) AS kernels FROM steps",
      [&answer](const ResultColumns& columns) -> RowSink& {
        answer = Answer(columns);
        return answer;
      });
  if (!status.ok()) return status;
  return answer.Whole(0, "kernels").value_or(0);
}

// Nothing where that is too much, or would not give what was recorded.
std::optional<WhatIfRanks> Replay(Dataset& dataset, const Settings& scope) {
  const absl::StatusOr<int64_t> kernels = KernelsOf(dataset);
  if (!kernels.ok() || *kernels > kMostReplayed) return std::nullopt;
  const absl::StatusOr<ReplayJob> job = ReadReplayJob(dataset, scope);
  if (!job.ok()) return std::nullopt;
  WhatIfRanks found = FindSlowRanks(*job);
  if (!found.is_close()) return std::nullopt;
  return found;
}

}  // namespace

absl::StatusOr<RanksReport> AskForRanks(Dataset& dataset,
                                        const std::string& folder,
                                        const RanksRequest& request) {
  RanksReport report;
  report.folder = folder;
  auto runs = AskDataset(dataset, "runs", {});
  if (!runs.ok()) return runs.status();
  report.runs = *std::move(runs);
  auto run = ChooseRun(report.runs, request.run);
  if (!run.ok()) return run.status();
  report.run = *std::move(run);
  while (report.run_row + 1 < report.runs.size() &&
         report.runs.Word(report.run_row, "run") != report.run) {
    ++report.run_row;
  }
  auto inquiry = Inquiry::Begin(dataset, ScopeOf(report.run, request));
  if (!inquiry.ok()) return inquiry.status();
  for (const auto& [question, settings] : Questions()) {
    auto answer = inquiry->Ask(question, settings);
    if (!answer.ok()) return answer.status();
    report.answers.emplace(question, *std::move(answer));
  }
  auto map = AskForMap(*inquiry, report, request);
  if (!map.ok()) return map.status();
  report.map = *std::move(map);
  report.judged = JudgedRanks(report);
  if (std::ranges::any_of(report.judged, &JudgedRank::is_named)) {
    report.what_if = Replay(dataset, ScopeOf(report.run, request));
  }
  report.warnings = WhatIsMissing(report, dataset.warnings());
  report.verdict = VerdictOf(report);
  return report;
}

}  // namespace dltap::analyzer
