// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/parquet_table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "analyzer/exporters/duckdb_library.h"

namespace dltap::analyzer {
namespace {

std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "''"}}), "'");
}

}  // namespace

absl::Status WriteParquet(const Table& table, const ExportInput& input,
                          const std::string& path) {
  absl::StatusOr<Duckdb> database = Duckdb::Open();
  if (!database.ok()) return database.status();
  // What does not fit into memory goes beside the output.
  absl::Status status = database->Run(
      absl::StrCat("SET temp_directory = ", Quoted(path + ".spill")));
  if (status.ok()) status = database->Fill(table, input);
  if (!status.ok()) return status;
  const std::string name(table.name);
  return database->Run(
      absl::StrCat("COPY \"", name, "\" TO ", Quoted(path),
                   " (FORMAT parquet, COMPRESSION zstd, KV_METADATA "
                   "{'dltap.schema_version': '",
                   kTableVersion, "', 'dltap.table': ", Quoted(name),
                   ", 'dltap.simulated': '",
                   input.model.simulated ? "true" : "false", "'})"));
}

}  // namespace dltap::analyzer
