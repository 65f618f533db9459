// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/uneven_stages.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/ranks/rank_names.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {

std::vector<UnevenStage> UnevenStagesOf(const Answer& stages) {
  std::vector<UnevenStage> out;
  for (size_t i = 0; i < stages.size(); ++i) {
    const std::string verdict = stages.Word(i, "verdict");
    if (verdict == "usual" || verdict == "alone") continue;
    const int64_t number = stages.Whole(i, "stage").value_or(0);
    if (out.empty() || out.back().stage != number) {
      out.push_back({.stage = number,
                     .stages = stages.Whole(i, "stages").value_or(0),
                     .more_ms = stages.Number(i, "more_ms").value_or(0),
                     .longer_by = stages.Number(i, "longer_by").value_or(0),
                     .more_flops = stages.Number(i, "more_flops"),
                     .verdict = verdict,
                     .ranks = {}});
    }
    out.back().ranks.push_back(stages.Whole(i, "rank").value_or(0));
  }
  return out;
}

namespace {

std::string WhyOf(const UnevenStage& stage) {
  if (stage.verdict == "uneven" && stage.more_flops) {
    return absl::StrCat("it has ", PercentText(*stage.more_flops),
                        " more FLOPs, for the model is divided unevenly");
  }
  if (stage.verdict == "slow") {
    return "its FLOPs are no more than theirs, so its GPUs are slower, or what "
           "it computes suits them less";
  }
  return "whether it has more to compute or slower GPUs is not known";
}

}  // namespace

bool IsIn(const std::vector<UnevenStage>& stages, int64_t rank) {
  return std::ranges::any_of(stages, [rank](const UnevenStage& stage) {
    return std::ranges::find(stage.ranks, rank) != stage.ranks.end();
  });
}

std::string StageSentence(const UnevenStage& stage) {
  return absl::StrCat("Stage ", stage.stage + 1, " of ", stage.stages,
                      " of the pipeline (", RankNames(stage.ranks),
                      ") computes ", PercentText(stage.longer_by),
                      " longer than the other stages, ",
                      Fixed(stage.more_ms, 2), " ms a step: ", WhyOf(stage));
}

}  // namespace dltap::analyzer
