// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_RANK_VARIABLES_H_
#define DLTAP_ANALYZER_MODEL_RANK_VARIABLES_H_

#include <optional>
#include <string_view>

namespace dltap::analyzer {

struct RankInfo {
  std::optional<int> rank;
  std::optional<int> world_size;
};

// From "RANK=3\0WORLD_SIZE=8\0...", by the first launcher of
// shim/specs/launchers.h that gives a rank; how many there are by the first
// with the same rank that tells.
RankInfo ParseRankVariables(std::string_view variables);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_RANK_VARIABLES_H_
