// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/dataset_writer.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/duckdb/sql_text.h"
#include "analyzer/exporters/event_tables.h"
#include "analyzer/exporters/parquet_table.h"
#include "analyzer/exporters/process_account.h"
#include "analyzer/exporters/run_lock.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// What one reader takes at a time.
constexpr size_t kRowsOfPart = size_t{1} << 20;

absl::Status FileError(const fs::path& path, const std::error_code& error) {
  return absl::PermissionDeniedError(
      absl::StrCat(path.string(), ": ", error.message()));
}

absl::Status MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? FileError(folder, error) : absl::OkStatus();
}

absl::Status Move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  return error ? FileError(to, error) : absl::OkStatus();
}

absl::Status Remove(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  return error ? FileError(folder, error) : absl::OkStatus();
}

std::string PartName(size_t part) {
  return absl::StrCat("part-", part, ".parquet");
}

bool IsOfEvents(std::string_view table) {
  return table == "kernels" || table == "calls";
}

}  // namespace

absl::StatusOr<DatasetWriter> DatasetWriter::Open(
    const DatasetOptions& options) {
  if (options.run.empty() ||
      !std::all_of(options.run.begin(), options.run.end(), IsRunCharacter)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--run ", options.run,
        ": a name of letters, digits, '-', '_' and '.' is wanted"));
  }
  absl::StatusOr<Duckdb> database = Duckdb::Open();
  if (!database.ok()) return database.status();
  absl::StatusOr<WorkFolder> work = WorkFolder::Make(options.folder);
  if (!work.ok()) return work.status();
  // More threads take more processor time for the same rows.
  const absl::Status made =
      database->Run(absl::StrCat("SET threads = 1; SET temp_directory = ",
                                 SqlText((work->path() / "spill").string())));
  if (!made.ok()) return made;
  return DatasetWriter(options, *std::move(work), *std::move(database));
}

DatasetWriter::DatasetWriter(DatasetOptions options, WorkFolder work,
                             Duckdb database)
    : options_(std::move(options)),
      work_(std::move(work)),
      database_(std::move(database)) {}

fs::path DatasetWriter::PartOf(size_t process, std::string_view table,
                               size_t part) const {
  return work_.path() / std::to_string(process) / table / PartName(part);
}

absl::Status DatasetWriter::WriteTable(const ExportTable& table,
                                       const ExportInput& input,
                                       size_t process) {
  Written& written = written_[process];
  absl::Status made = MakeFolder(PartOf(process, table.name, 0).parent_path());
  if (!made.ok()) return made;
  size_t& parts = written.parts[table.name];
  const std::unique_ptr<ColumnRows> rows = RowsOf(table, input);
  for (size_t first = 0; first < rows->rows(); first += kRowsOfPart) {
    absl::Status status =
        WriteParquet({table.name, kDatasetVersion, input.model.simulated, *rows,
                      first, std::min(kRowsOfPart, rows->rows() - first)},
                     PartOf(process, table.name, parts++).string(), database_);
    if (!status.ok()) return status;
  }
  if (IsOfEvents(table.name)) written.events += rows->rows();
  return absl::OkStatus();
}

absl::Status DatasetWriter::Add(ExportInput& input, size_t p) {
  const Process& process = input.model.processes[p];
  const size_t number = written_.size();
  written_.push_back({OwnerOf(process),
                      {!process.activities.empty(), process.rank,
                       FindWorldPlace(input.model, process)},
                      input.model.simulated});
  const RankClaim& claim = written_[number].claim;
  for (const RankFrom from : kRanksFrom) {
    ColumnStore& run = written_[number].run.emplace_back(RunsColumns());
    const bool by_world = from == RankFrom::kCommunicator && claim.world;
    WriteRun(
        input, p, from,
        by_world ? std::optional<int>(claim.world->ranks) : process.world_size,
        run);
  }
  const ProcessAccount account = MakeProcessAccount(input, p);
  input.only_process = p;
  input.account = &account;
  absl::Status status;
  for (const ExportTable& table : DatasetTables()) {
    if (status.ok()) status = WriteTable(table, input, number);
  }
  input.account = nullptr;
  return status;
}

// A process without GPU work (a launcher, a loader's worker, which inherits
// its parent's rank) is none of its own beside one that has some.
absl::StatusOr<std::map<int64_t, DatasetWriter::Rank>>
DatasetWriter::ChooseRanks(std::vector<std::string>& without) const {
  std::map<int64_t, Rank> ranks;
  std::set<int64_t> working;
  bool any_work = false;
  std::vector<RankClaim> claims;
  for (const Written& written : written_) {
    const RankClaim& claim = written.claim;
    claims.push_back(claim);
    any_work = any_work || claim.works;
    if (claim.works && claim.rank) working.insert(*claim.rank);
  }
  const std::vector<bool> by_world = RankedByWorld(claims);
  std::vector<size_t> unnumbered;
  for (size_t i = 0; i < written_.size(); ++i) {
    const RankClaim& claim = claims[i];
    const bool is_beside =
        !claim.works && (claim.rank ? working.contains(*claim.rank) : any_work);
    if (is_beside) {
      without.push_back(written_[i].owner);
    } else if ((claim.rank || by_world[i]) && !options_.rank) {
      Rank& rank = ranks[by_world[i] ? claim.world->rank : *claim.rank];
      rank.from =
          by_world[i] ? RankFrom::kCommunicator : RankFrom::kEnvironment;
      rank.processes.push_back(i);
    } else {
      unnumbered.push_back(i);
    }
  }
  if (options_.rank && unnumbered.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--rank names one process, and the trace has ", unnumbered.size(),
        " with GPU work; name the trace of one"));
  }
  int64_t next = options_.rank.value_or(0);
  for (const size_t i : unnumbered) {
    while (ranks.contains(next)) ++next;
    ranks[next] = {options_.rank ? RankFrom::kOption : RankFrom::kOrder, {i}};
  }
  return ranks;
}

absl::Status DatasetWriter::Gather(const Rank& rank, std::string_view table,
                                   const fs::path& into) const {
  if (absl::Status made = MakeFolder(into); !made.ok()) return made;
  size_t number = 0;
  for (const size_t process : rank.processes) {
    const size_t parts = written_[process].parts.at(table);
    for (size_t part = 0; part < parts; ++part) {
      absl::Status moved =
          Move(PartOf(process, table, part), into / PartName(number++));
      if (!moved.ok()) return moved;
    }
  }
  return absl::OkStatus();
}

absl::Status DatasetWriter::WriteRuns(const Rank& rank, const fs::path& into) {
  if (absl::Status made = MakeFolder(into); !made.ok()) return made;
  for (size_t i = 0; i < rank.processes.size(); ++i) {
    const Written& written = written_[rank.processes[i]];
    StoredRows row(written.run[static_cast<size_t>(rank.from)]);
    absl::Status status =
        WriteParquet({kRunsTable, kDatasetVersion, written.simulated, row},
                     (into / PartName(i)).string(), database_);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// At once, so that readers see all of it or nothing.
absl::Status DatasetWriter::PutAside(const fs::path& rank) const {
  if (!fs::exists(rank)) return absl::OkStatus();
  const fs::path aside = work_.path() / "aside";
  if (absl::Status status = Remove(aside); !status.ok()) return status;
  return Move(rank, aside);
}

// `runs` goes first and comes last: without it the rank is not whole.
absl::StatusOr<bool> DatasetWriter::Publish(int64_t number, const Rank& rank) {
  const fs::path run = fs::path(options_.folder) / ("run=" + options_.run);
  const std::string name = absl::StrCat("rank=", number);
  const auto place = [&](std::string_view table) {
    return run / absl::StrCat("table=", std::string(table)) / name;
  };
  if (absl::Status made = MakeFolder(run); !made.ok()) return made;
  const RunLock lock(run);
  const bool was_there = fs::exists(place(kRunsTable));
  absl::Status status = PutAside(place(kRunsTable));
  std::vector<std::string_view> tables;
  for (const ExportTable& table : DatasetTables()) tables.push_back(table.name);
  tables.push_back(kRunsTable);
  for (const std::string_view table : tables) {
    const fs::path made = work_.path() / name / table;
    if (status.ok()) {
      status = table == kRunsTable ? WriteRuns(rank, made)
                                   : Gather(rank, table, made);
    }
    if (status.ok()) status = MakeFolder(place(table).parent_path());
    if (status.ok()) status = PutAside(place(table));
    if (status.ok()) status = Move(made, place(table));
  }
  if (!status.ok()) return status;
  return was_there;
}

absl::StatusOr<PackedRanks> DatasetWriter::Commit() {
  PackedRanks out;
  const auto ranks = ChooseRanks(out.without);
  if (!ranks.ok()) return ranks.status();
  for (const auto& [number, rank] : *ranks) {
    const absl::StatusOr<bool> replaced = Publish(number, rank);
    if (!replaced.ok()) return replaced.status();
    PackedRank packed = {number, rank.from, rank.processes.size(), 0,
                         *replaced};
    for (const size_t process : rank.processes) {
      packed.events += written_[process].events;
    }
    out.ranks.push_back(packed);
  }
  return out;
}

}  // namespace dltap::analyzer
