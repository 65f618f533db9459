// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/gather_ranks.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/duckdb/duckdb.h"
#include "analyzer/duckdb/sql_text.h"
#include "analyzer/exporters/dataset_tables.h"
#include "analyzer/exporters/run_lock.h"
#include "analyzer/exporters/work_folder.h"
#include "analyzer/query/dataset.h"
#include "analyzer/query/dataset_contents.h"
#include "analyzer/query/gathered_tables.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// A rank whose parts are larger costs more to read than to open.
constexpr uintmax_t kLargestPart = 256 << 10;

// Of the ranks' parts of a table.
uintmax_t MeanBytes(const RunContents& run, std::string_view table) {
  std::set<std::string> ranks;
  for (const auto& [rank, stamp] : run.whole) ranks.insert(rank);
  const std::vector<fs::path> parts = PartsOf(run, table, ranks);
  uintmax_t bytes = 0;
  for (const fs::path& part : parts) {
    std::error_code error;
    const uintmax_t size = fs::file_size(part, error);
    if (!error) bytes += size;
  }
  return parts.empty() ? 0 : bytes / parts.size();
}

// Ranks of the run that are read from their own parts.
absl::StatusOr<size_t> RanksApart(const RunContents& run) {
  absl::StatusOr<Duckdb> database = Duckdb::Open();
  if (!database.ok()) return database.status();
  const fs::path path = GatheredPathOf(run, kRunsTable);
  std::error_code error;
  if (!fs::exists(path, error)) return run.whole.size();
  const auto stamps = GatheredStamps(*database, path.string());
  if (!stamps.ok()) return stamps.status();
  return run.whole.size() - Compare(run, *stamps).same.size();
}

absl::Status Gather(Dataset& dataset, const RunContents& run,
                    std::string_view table, const fs::path& work) {
  const fs::path made = work / absl::StrCat(std::string(table), ".parquet");
  const absl::Status written = dataset.Run(absl::StrCat(
      "COPY (SELECT * EXCLUDE (run) FROM ", SqlName(table), " WHERE run = ",
      SqlText(run.name), " ORDER BY rank) TO ", SqlText(made.string()),
      " (FORMAT parquet, COMPRESSION zstd, KV_METADATA "
      "{'dltap.schema_version': '",
      kDatasetVersion, "', 'dltap.table': ", SqlText(table),
      ", 'dltap.ranks': ", SqlText(StampsOf(run)), "})"));
  if (!written.ok()) return written;
  std::error_code error;
  fs::rename(made, GatheredPathOf(run, table), error);
  if (!error) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      GatheredPathOf(run, table).string(), ": ", error.message()));
}

absl::Status GatherTables(const std::string& folder, const RunContents& run) {
  // What does not fit goes to disk: a writer beside a program takes little.
  absl::StatusOr<Dataset> dataset =
      Dataset::Open(folder, {.memory = "1GB", .threads = 1});
  if (!dataset.ok()) return dataset.status();
  absl::StatusOr<WorkFolder> work = WorkFolder::Make(folder);
  if (!work.ok()) return work.status();
  for (const std::string_view table : kGatheredTables) {
    std::error_code error;
    const fs::path place = GatheredPathOf(run, table);
    if (MeanBytes(run, table) > kLargestPart) {
      fs::remove(place, error);
    } else if (fs::exists(place.parent_path(), error)) {
      absl::Status status = Gather(*dataset, run, table, work->path());
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status GatherRanks(const std::string& dataset, const std::string& name,
                         bool always) {
  const auto found = [&]() -> std::vector<RunContents> {
    std::vector<RunContents> runs = RunsOf(dataset);
    std::erase_if(runs, [&](const auto& run) { return run.name != name; });
    return runs;
  };
  std::vector<RunContents> runs = found();
  if (runs.empty()) {
    return absl::NotFoundError(
        absl::StrCat(dataset, ": there is no run ", name));
  }
  const RunLock lock(runs.front().folder);
  runs = found();  // as it is now that nobody changes it
  if (!always) {
    const absl::StatusOr<size_t> apart = RanksApart(runs.front());
    if (!apart.ok()) return apart.status();
    if (*apart < kRanksToGather) return absl::OkStatus();
  }
  return GatherTables(dataset, runs.front());
}

}  // namespace dltap::analyzer
