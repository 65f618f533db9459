// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/published_operations.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "analyzer/duckdb/column_store.h"
#include "analyzer/duckdb/duckdb.h"
#include "analyzer/duckdb/sql_text.h"

namespace dltap::analyzer {
namespace {

// The order that At reads them in. Models of one chunk may have no columns for
// chunks; a worker without a number has the usual one.
constexpr char kSelect[] =
    "WITH rows AS (SELECT CAST(NULL AS BIGINT) AS rank, CAST(NULL AS BIGINT) "
    "AS mc, CAST(NULL AS BIGINT) AS gmc WHERE false UNION ALL BY NAME SELECT "
    "* FROM read_parquet(";
constexpr char kColumns[] =
    ")), sized AS (SELECT *, CAST(max(stage) OVER () AS BIGINT) + 1 AS stages, "
    "coalesce(mc, 0) AS chunk FROM rows) SELECT CAST(dp_rank AS BIGINT), "
    "CAST(stage AS BIGINT), coalesce(rank, dp_rank * stages + stage), "
    "CAST(step AS BIGINT), CAST(optype AS VARCHAR), CAST(start_ts AS DOUBLE), "
    "CAST(duration AS DOUBLE), CAST(seq_id AS BIGINT), chunk, coalesce(gmc, "
    "chunk * stages + stage) FROM sized";

absl::StatusOr<PipelineOperation> At(std::span<const ColumnStore::Values> of,
                                     size_t row) {
  const auto integer = [&](size_t column) {
    return static_cast<int>(of[column].integers[row]);
  };
  const std::string& name = of[4].dictionary.texts()[of[4].texts[row]];
  const std::optional<OperationKind> kind = OperationNamed(name);
  if (!kind) {
    return absl::DataLossError(absl::StrCat("row ", row, ": ", name,
                                            " is no operation that is known"));
  }
  return PipelineOperation{.kind = *kind,
                           .replica = integer(0),
                           .stage = integer(1),
                           .rank = integer(2),
                           .step = of[3].integers[row],
                           .sequence = integer(7),
                           .chunk = integer(8),
                           .global_chunk = integer(9),
                           .begin_s = of[5].reals[row],
                           .duration_s = of[6].reals[row]};
}

// "dsp_size: 4" of "DIR/NAME_meta.yaml"; 1 where nothing says it: ranks that
// share a sequence reduce gradients as replicas do.
int SequenceRanks(const std::string& path) {
  std::filesystem::path meta(path);
  meta.replace_filename(meta.stem().string() + "_meta.yaml");
  std::ifstream file(meta);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    int value = 1;
    if (words >> key >> value && key == "dsp_size:") return value;
  }
  return 1;
}

}  // namespace

absl::StatusOr<PublishedOperations> ReadPublishedOperations(
    const std::string& path) {
  absl::StatusOr<Duckdb> database = Duckdb::Open();
  if (!database.ok()) return database.status();
  ColumnStore rows({});
  const absl::Status read =
      database->Query(absl::StrCat(kSelect, SqlText(path), kColumns),
                      [&rows](const ResultColumns& columns) -> RowSink& {
                        rows = ColumnStore(columns);
                        return rows;
                      });
  if (!read.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", read.message()));
  }
  PublishedOperations out;
  int replicas = 0;
  for (size_t row = 0; row < rows.rows(); ++row) {
    absl::StatusOr<PipelineOperation> operation = At(rows.columns(), row);
    if (!operation.ok()) {
      return absl::DataLossError(
          absl::StrCat(path, ": ", operation.status().message()));
    }
    replicas = std::max(replicas, operation->replica + 1);
    out.operations.push_back(*operation);
  }
  out.has_replicas = replicas * SequenceRanks(path) > 1;
  return out;
}

}  // namespace dltap::analyzer
