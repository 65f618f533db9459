// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_DUCKDB_LIBRARY_H_
#define DLTAP_ANALYZER_EXPORTERS_DUCKDB_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// The functions of DuckDB's C interface that we call; an own library, opened
// when it is needed.
struct DuckdbFunctions;

// A database in memory, by libduckdb.so.
class Duckdb {
 public:
  // kUnavailable: there is no such library, or none that fits.
  static absl::StatusOr<Duckdb> Open();
  ~Duckdb();
  Duckdb(Duckdb&& other) noexcept;
  Duckdb(const Duckdb&) = delete;
  Duckdb& operator=(const Duckdb&) = delete;
  Duckdb& operator=(Duckdb&&) = delete;

  absl::Status Run(const std::string& sql);

  // Makes a table of the columns and fills it.
  absl::Status Fill(const Table& table, const ExportInput& input);

 private:
  explicit Duckdb(const DuckdbFunctions* functions) : call_(functions) {}

  const DuckdbFunctions* call_;
  void* database_ = nullptr;
  void* connection_ = nullptr;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_DUCKDB_LIBRARY_H_
