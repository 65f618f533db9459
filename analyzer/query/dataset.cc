// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/dataset.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/duckdb/column_store.h"
#include "analyzer/duckdb/sql_text.h"
#include "analyzer/exporters/dataset_tables.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// "rank" and "3" of a folder "rank=3"; empty: it is none of such.
std::string ValueOf(const fs::path& folder, std::string_view key) {
  const std::string name = folder.filename().string();
  const std::string head = absl::StrCat(std::string(key), "=");
  return name.starts_with(head) ? name.substr(head.size()) : "";
}

std::map<std::string, fs::path> Folders(const fs::path& in,
                                        std::string_view key) {
  std::map<std::string, fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(in, error)) {
    const std::string value = ValueOf(entry.path(), key);
    if (!value.empty()) out[value] = entry.path();
  }
  return out;
}

fs::path FirstPart(const fs::path& rank) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(rank, error)) {
    if (entry.path().extension() == ".parquet") return entry.path();
  }
  return {};
}

// What a data set holds, by the names of its folders.
struct Contents {
  std::map<std::string, fs::path> sample;  // by table: some part of it
  std::vector<std::string> incomplete;     // "rank 3 of run default"
  bool has_runs = false;
};

void AddRun(const std::string& run, const fs::path& folder, Contents& out) {
  std::set<std::string> whole;
  std::set<std::string> seen;
  for (const auto& [table, path] : Folders(folder, "table")) {
    for (const auto& [rank, parts] : Folders(path, "rank")) {
      (table == kRunsTable ? whole : seen).insert(rank);
      fs::path& sample = out.sample[table];
      if (sample.empty()) sample = FirstPart(parts);
    }
  }
  for (const std::string& rank : seen) {
    if (whole.contains(rank)) continue;
    out.incomplete.push_back(absl::StrCat("rank ", rank, " of run ", run));
  }
}

Contents ContentsOf(const std::string& folder) {
  Contents out;
  for (const auto& [run, path] : Folders(folder, "run")) {
    out.has_runs = true;
    AddRun(run, path, out);
  }
  return out;
}

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

// A path in which no character is a pattern.
std::string Escaped(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const bool is_pattern = c == '*' || c == '?' || c == '[' || c == ']';
    is_pattern ? out.append({'[', c, ']'}) : out += c;
  }
  return out;
}

// What an older dltap wrote lacks columns that were added since: only in
// tables that are small, for it opens each part.
bool MayLackColumns(std::string_view table) {
  return table == "devices" || table == kRunsTable;
}

std::string View(const std::string& folder, std::string_view table,
                 std::span<const TypedColumn> columns) {
  const std::string parts =
      absl::StrCat(Escaped(folder), "/run=*/table=", std::string(table),
                   "/rank=*/part-*.parquet");
  // As numbers, what folders are named by has wrong statistics in DuckDB 1.5:
  // GROUP BY rank gave other ranks.
  const bool may_lack = MayLackColumns(table);
  return absl::StrCat(
      may_lack ? absl::StrCat(EmptyView(columns), " UNION ALL BY NAME ") : "",
      "SELECT * EXCLUDE (\"table\", rank), CAST(rank AS BIGINT) AS rank FROM "
      "read_parquet(",
      SqlText(parts), may_lack ? ", union_by_name = true" : "",
      ", hive_partitioning = true, hive_types_autocast = false)");
}

// Of the file's key-value metadata; 0: it has none.
absl::StatusOr<int64_t> VersionOf(Duckdb& database, const fs::path& part) {
  ColumnStore rows({});
  const absl::Status status = database.Query(
      absl::StrCat("SELECT try_cast(decode(value) AS BIGINT) FROM "
                   "parquet_kv_metadata(",
                   SqlText(Escaped(part.string())),
                   ") WHERE decode(key) = 'dltap.schema_version'"),
      [&rows](const ResultColumns& columns) -> RowSink& {
        rows = ColumnStore(columns);
        return rows;
      });
  if (!status.ok()) return status;
  return rows.rows() == 0 ? 0 : rows.columns()[0].integers[0];
}

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

bool IsDataset(const std::string& folder) {
  return !Folders(folder, "run").empty();
}

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
  const Contents contents = ContentsOf(folder);
  if (!contents.has_runs) {
    return absl::DataLossError(absl::StrCat(
        folder,
        ": no data set, for it holds no folder run=NAME; dltap pack --parquet "
        "makes one"));
  }
  for (const std::string& rank : contents.incomplete) {
    warnings_.push_back(absl::StrCat(
        rank, " is not whole: whoever packed it did not end; pack it again"));
  }
  for (const auto& [table, columns] : TablesOfADataset()) {
    const auto sample = contents.sample.find(std::string(table));
    const bool is_there =
        sample != contents.sample.end() && !sample->second.empty();
    if (is_there) {
      const auto version = VersionOf(database_, sample->second);
      if (!version.ok()) return version.status();
      if (*version > kDatasetVersion) {
        return absl::UnimplementedError(absl::StrCat(
            sample->second.string(), ": version ", *version,
            " of the data set is newer than this dltap's, ", kDatasetVersion));
      }
    }
    absl::Status made = database_.Run(absl::StrCat(
        "CREATE VIEW ", SqlName(table), " AS ",
        is_there ? View(folder, table, columns) : EmptyView(columns)));
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
