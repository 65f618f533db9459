// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_DATASET_WRITER_H_
#define DLTAP_ANALYZER_EXPORTERS_DATASET_WRITER_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/duckdb/column_store.h"
#include "analyzer/duckdb/duckdb.h"
#include "analyzer/exporters/dataset_options.h"
#include "analyzer/exporters/dataset_tables.h"
#include "analyzer/exporters/work_folder.h"
#include "analyzer/metrics/collectives/world_place.h"

namespace dltap::analyzer {

// What became of a rank.
struct PackedRank {
  int64_t rank;
  RankFrom from;
  size_t processes = 0;
  uint64_t events = 0;    // rows of its tables of events
  bool replaced = false;  // it was there before
};

struct PackedRanks {
  std::vector<PackedRank> ranks;     // sorted
  std::vector<std::string> without;  // processes of no GPU work: left out
};

// Adds ranks to a data set. Nothing of it is seen by readers before Commit;
// then a rank is there as a whole, or its row in `runs` is missing.
class DatasetWriter {
 public:
  // Errors: no DuckDB, no place to write.
  static absl::StatusOr<DatasetWriter> Open(const DatasetOptions& options);
  DatasetWriter(DatasetWriter&&) = default;
  DatasetWriter(const DatasetWriter&) = delete;
  DatasetWriter& operator=(const DatasetWriter&) = delete;
  DatasetWriter& operator=(DatasetWriter&&) = delete;

  // Writes what the trace holds of a process.
  absl::Status Add(ExportInput& input, size_t p);

  absl::StatusOr<PackedRanks> Commit();

 private:
  // A process whose parts are written.
  struct Written {
    std::string owner;
    RankClaim claim;
    bool simulated;
    uint64_t events = 0;
    // Its row of `runs`, for each way to its rank.
    std::vector<ColumnStore> run = {};
    std::map<std::string_view, size_t> parts = {};  // by table
  };
  // The processes of a rank, as numbers into written_.
  struct Rank {
    RankFrom from;
    std::vector<size_t> processes;
  };

  DatasetWriter(DatasetOptions options, WorkFolder work, Duckdb database);

  std::filesystem::path PartOf(size_t process, std::string_view table,
                               size_t part) const;
  absl::Status WriteTable(const ExportTable& table, const ExportInput& input,
                          size_t process);
  absl::StatusOr<std::map<int64_t, Rank>> ChooseRanks(
      std::vector<std::string>& without) const;
  absl::StatusOr<bool> Publish(int64_t number, const Rank& rank);
  absl::Status PutAside(const std::filesystem::path& rank) const;
  absl::Status Gather(const Rank& rank, std::string_view table,
                      const std::filesystem::path& into) const;
  absl::Status WriteRuns(const Rank& rank, const std::filesystem::path& into);

  DatasetOptions options_;
  WorkFolder work_;
  Duckdb database_;
  std::vector<Written> written_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_DATASET_WRITER_H_
