// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/dataset_views.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/duckdb/column_store.h"
#include "analyzer/duckdb/sql_text.h"
#include "analyzer/exporters/dataset_tables.h"
#include "analyzer/query/gathered_tables.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

std::string_view SqlTypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kText: return "VARCHAR";
    case ColumnType::kInteger: return "BIGINT";
    case ColumnType::kReal: return "DOUBLE";
    case ColumnType::kFlag: break;
  }
  return "BOOLEAN";
}

// Of a table that has no rows anywhere.
std::string EmptyView(std::span<const TypedColumn> columns) {
  std::vector<std::string> nulls = {"CAST(NULL AS VARCHAR) AS run",
                                    "CAST(NULL AS BIGINT) AS rank"};
  for (const TypedColumn& column : columns) {
    nulls.push_back(absl::StrCat("CAST(NULL AS ",
                                 std::string(SqlTypeOf(column.type)), ") AS ",
                                 SqlName(column.name)));
  }
  return absl::StrCat("SELECT ", absl::StrJoin(nulls, ", "), " WHERE false");
}

std::string SqlList(const std::vector<std::string>& paths) {
  return absl::StrCat(
      "[",
      absl::StrJoin(paths, ", ",
                    [](std::string* out, const std::string& path) {
                      out->append(SqlText(path));
                    }),
      "]");
}

// What an older dltap wrote lacks columns that were added since: only in
// tables that are small, for it opens each part.
bool MayLackColumns(std::string_view table) {
  return table == "devices" || table == kRunsTable;
}

// As numbers, what folders are named by has wrong statistics in DuckDB 1.5:
// GROUP BY rank gave other ranks.
std::string SelectParts(const std::vector<std::string>& patterns,
                        bool may_lack) {
  return absl::StrCat(
      "SELECT * EXCLUDE (\"table\", rank), CAST(rank AS BIGINT) AS rank FROM "
      "read_parquet(",
      SqlList(patterns), may_lack ? ", union_by_name = true" : "",
      ", hive_partitioning = true, hive_types_autocast = false)");
}

// The newest of the files' key-value metadata; 0: they have none.
struct Version {
  int64_t number = 0;
  std::string path;
};

absl::StatusOr<Version> NewestOf(Duckdb& database,
                                 const std::vector<std::string>& patterns) {
  ColumnStore rows({});
  const absl::Status status = database.Query(
      absl::StrCat("SELECT try_cast(decode(value) AS BIGINT) AS version, "
                   "file_name FROM parquet_kv_metadata(",
                   SqlList(patterns),
                   ") WHERE decode(key) = 'dltap.schema_version' AND version "
                   "IS NOT NULL ORDER BY version DESC, file_name LIMIT 1"),
      [&rows](const ResultColumns& columns) -> RowSink& {
        rows = ColumnStore(columns);
        return rows;
      });
  if (!status.ok()) return status;
  if (rows.rows() == 0) return Version();
  const ColumnStore::Values& path = rows.columns()[1];
  return Version{rows.columns()[0].integers[0],
                 std::string(path.dictionary.texts()[path.texts[0]])};
}

std::set<std::string> WholeRanks(const RunContents& run) {
  std::set<std::string> ranks;
  for (const auto& [rank, stamp] : run.whole) ranks.insert(rank);
  return ranks;
}

}  // namespace

absl::StatusOr<DatasetViews> DatasetViews::Make(const std::string& dataset,
                                                Duckdb& database) {
  DatasetViews views;
  views.dataset_ = dataset;
  views.runs_ = RunsOf(dataset);
  absl::Status status = views.FindGathered(database);
  if (status.ok()) status = views.CheckVersions(database);
  if (!status.ok()) return status;
  return views;
}

absl::Status DatasetViews::FindGathered(Duckdb& database) {
  for (size_t run = 0; run < runs_.size(); ++run) {
    for (const std::string_view table : kGatheredTables) {
      const fs::path path = GatheredPathOf(runs_[run], table);
      std::error_code error;
      if (!fs::exists(path, error)) continue;
      const auto stamps = GatheredStamps(database, path.string());
      if (!stamps.ok()) return stamps.status();
      Gathered gathered = {std::string(table), run,
                           Compare(runs_[run], *stamps)};
      if (gathered.ranks.same.empty()) continue;
      gathered_.push_back(std::move(gathered));
    }
  }
  return absl::OkStatus();
}

// A rank is packed by one dltap, and what was gathered was not newer.
absl::Status DatasetViews::CheckVersions(Duckdb& database) const {
  const std::vector<std::string> parts = OwnParts(kRunsTable);
  if (parts.empty()) return absl::OkStatus();
  const absl::StatusOr<Version> newest = NewestOf(database, parts);
  if (!newest.ok()) return newest.status();
  if (newest->number <= kDatasetVersion) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      newest->path, ": version ", newest->number,
      " of the data set is newer than this dltap's, ", kDatasetVersion));
}

const DatasetViews::Gathered* DatasetViews::GatheredOf(std::string_view table,
                                                       size_t run) const {
  const auto found = std::find_if(
      gathered_.begin(), gathered_.end(),
      [&](const auto& g) { return g.run == run && g.table == table; });
  return found == gathered_.end() ? nullptr : &*found;
}

// Patterns: one for all where all are read.
std::vector<std::string> DatasetViews::OwnParts(std::string_view table) const {
  std::vector<std::string> paths;
  bool is_all = true;
  for (size_t run = 0; run < runs_.size(); ++run) {
    std::set<std::string> ranks = WholeRanks(runs_[run]);
    is_all = is_all && runs_[run].broken.empty() && !runs_[run].has_others;
    if (const Gathered* const gathered = GatheredOf(table, run)) {
      is_all = false;
      for (const std::string& rank : gathered->ranks.same) ranks.erase(rank);
    }
    for (const fs::path& part : PartsOf(runs_[run], table, ranks)) {
      paths.push_back(EscapedPath(part.string()));
    }
  }
  if (!is_all || paths.empty()) return paths;
  return {absl::StrCat(EscapedPath(dataset_), "/run=*/table=",
                       std::string(table), "/rank=?*/part-*.parquet")};
}

std::string DatasetViews::SelectGathered(std::string_view table) const {
  std::vector<std::string> paths;
  std::string condition;
  for (const Gathered& gathered : gathered_) {
    if (gathered.table != table) continue;
    const RunContents& run = runs_[gathered.run];
    paths.push_back(EscapedPath(GatheredPathOf(run, table).string()));
    if (gathered.ranks.changed.empty()) continue;
    absl::StrAppend(&condition, condition.empty() ? " WHERE " : " AND ",
                    "NOT (run = ", SqlText(run.name), " AND rank IN (",
                    absl::StrJoin(gathered.ranks.changed, ", "), "))");
  }
  if (paths.empty()) return "";
  return absl::StrCat("SELECT * EXCLUDE (\"table\") FROM read_parquet(",
                      SqlList(paths),
                      ", union_by_name = true, hive_partitioning = true, "
                      "hive_types_autocast = false)",
                      condition);
}

std::string DatasetViews::Select(std::string_view table,
                                 std::span<const TypedColumn> columns) const {
  const bool may_lack = MayLackColumns(table);
  std::vector<std::string> selects;
  const std::vector<std::string> own = OwnParts(table);
  if (!own.empty()) selects.push_back(SelectParts(own, may_lack));
  if (std::string gathered = SelectGathered(table); !gathered.empty()) {
    selects.push_back(std::move(gathered));
  }
  if (selects.empty() || may_lack) {
    selects.insert(selects.begin(), EmptyView(columns));
  }
  return absl::StrJoin(selects, " UNION ALL BY NAME ");
}

}  // namespace dltap::analyzer
