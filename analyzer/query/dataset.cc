// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/dataset.h"

#include <unistd.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "analyzer/duckdb/sql_text.h"
#include "analyzer/exporters/dataset_tables.h"
#include "analyzer/query/dataset_contents.h"
#include "analyzer/query/dataset_views.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

struct NamedColumns {
  std::string_view table;
  std::span<const TypedColumn> columns;
};

std::vector<NamedColumns> TablesOfADataset() {
  std::vector<NamedColumns> out = {{kRunsTable, RunsColumns()}};
  for (const ExportTable& table : DatasetTables()) {
    out.push_back({table.name, table.columns});
  }
  return out;
}

// What does not fit goes to the system's folder for temporary files; DuckDB
// would take the current one.
absl::Status SetLimits(const DatasetLimits& limits, Duckdb& database) {
  std::error_code error;
  const fs::path spill =
      fs::temp_directory_path(error) / absl::StrCat("dltap-query-", getpid());
  std::string settings = absl::StrCat(
      "SET preserve_insertion_order = false; SET temp_directory = ",
      SqlText(spill.string()));
  if (limits.threads > 0) {
    absl::StrAppend(&settings, "; SET threads = ", limits.threads);
  }
  absl::Status status = database.Run(settings);
  if (!status.ok() || limits.memory.empty()) return status;
  status = database.Run("SET memory_limit = " + SqlText(limits.memory));
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("--memory ", limits.memory, ": ", status.message()));
}

}  // namespace

bool IsDataset(const std::string& folder) { return HasRuns(folder); }

absl::StatusOr<Dataset> Dataset::Open(const std::string& folder,
                                      const DatasetLimits& limits) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return absl::NotFoundError(absl::StrCat(
        folder, ": no such folder; dltap pack --parquet makes a data set"));
  }
  absl::StatusOr<Duckdb> database = Duckdb::Open();
  if (!database.ok()) return database.status();
  Dataset dataset(*std::move(database));
  absl::Status status = SetLimits(limits, dataset.database_);
  if (status.ok()) status = dataset.database_.WatchSpills();
  if (status.ok()) status = dataset.MakeViews(folder);
  if (!status.ok()) return status;
  return dataset;
}

absl::Status Dataset::MakeViews(const std::string& folder) {
  const auto views = DatasetViews::Make(folder, database_);
  if (!views.ok()) return views.status();
  if (views->runs().empty()) {
    return absl::DataLossError(absl::StrCat(
        folder,
        ": no data set, for it holds no folder run=NAME; dltap pack --parquet "
        "makes one"));
  }
  for (const RunContents& run : views->runs()) {
    for (const std::string& rank : run.broken) {
      warnings_.push_back(absl::StrCat(
          "rank ", rank, " of run ", run.name,
          " is not whole and left out: whoever packed it did not end; pack it "
          "again"));
    }
  }
  for (const auto& [table, columns] : TablesOfADataset()) {
    const absl::Status made =
        database_.Run(absl::StrCat("CREATE VIEW ", SqlName(table), " AS ",
                                   views->Select(table, columns)));
    if (!made.ok()) return made;
  }
  return absl::OkStatus();
}

absl::Status Dataset::Query(
    const std::string& sql,
    const std::function<RowSink&(const ResultColumns&)>& begin) {
  return database_.Query(sql, begin);
}

absl::Status Dataset::WriteParquet(const std::string& sql,
                                   const std::string& path) {
  // As a view its end may have what any statement's may: ';', a comment.
  const absl::Status made =
      database_.Run(absl::StrCat("CREATE TEMP VIEW answer AS ", sql));
  if (!made.ok()) return made;
  return database_.Run(absl::StrCat("COPY answer TO ", SqlText(path),
                                    " (FORMAT parquet, COMPRESSION zstd)"));
}

}  // namespace dltap::analyzer
