// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_ASK_FOR_RANKS_H_
#define DLTAP_ANALYZER_RANKS_ASK_FOR_RANKS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "analyzer/query/dataset.h"
#include "analyzer/ranks/ranks_report.h"

namespace dltap::analyzer {

struct RanksRequest {
  std::string run;  // empty: the newest
  std::optional<std::pair<size_t, size_t>> steps = {};
  // Of the heat map, at most; of cells, rows get theirs first.
  size_t map_rows = 1;
  size_t map_columns = 1;
  size_t map_cells = 1;
};

// kNotFound: no such run; with those that there are.
absl::StatusOr<RanksReport> AskForRanks(Dataset& dataset,
                                        const std::string& folder,
                                        const RanksRequest& request);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_ASK_FOR_RANKS_H_
