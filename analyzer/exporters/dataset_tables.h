// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_DATASET_TABLES_H_
#define DLTAP_ANALYZER_EXPORTERS_DATASET_TABLES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "analyzer/exporters/table.h"

// What a data set of many ranks holds of each: docs/dataset.md.
namespace dltap::analyzer {

// Of the tables of a data set. Columns may be added under it.
inline constexpr int kDatasetVersion = 1;

// All but `runs`.
std::span<const ExportTable> DatasetTables();

enum class RankFrom : uint8_t {
  kEnvironment,
  kOption,
  kOrder,
  kCommunicator,  // its place in the largest
};
inline constexpr RankFrom kRanksFrom[] = {RankFrom::kEnvironment,
                                          RankFrom::kOption, RankFrom::kOrder,
                                          RankFrom::kCommunicator};
std::string_view Name(RankFrom from);

// `runs`: a row for a process.
inline constexpr std::string_view kRunsTable = "runs";
std::span<const TypedColumn> RunsColumns();
void WriteRun(const ExportInput& input, size_t p, RankFrom from,
              std::optional<int> world_size, RowSink& sink);

// What has to be added to the times of the model so that they are since the
// Unix epoch; 0 where that is not known.
int64_t UnixZeroNs(const TraceModel& model);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_DATASET_TABLES_H_
