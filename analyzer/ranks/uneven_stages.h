// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_UNEVEN_STAGES_H_
#define DLTAP_ANALYZER_RANKS_UNEVEN_STAGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/query/answer.h"

namespace dltap::analyzer {

// A stage of the pipeline, all of whose ranks compute longer than the others:
// it has more to compute, or does it more slowly.
struct UnevenStage {
  int64_t stage = 0;  // from 0
  int64_t stages = 0;
  double more_ms = 0;  // a step, than the mean of the other stages
  double longer_by = 0;
  std::optional<double> more_flops;  // than the mean of the others
  std::string verdict;               // of the question `stages`
  std::vector<int64_t> ranks;
};

// Of the answer to `stages`, in the order of the pipeline.
std::vector<UnevenStage> UnevenStagesOf(const Answer& stages);

bool IsIn(const std::vector<UnevenStage>& stages, int64_t rank);

std::string StageSentence(const UnevenStage& stage);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_UNEVEN_STAGES_H_
