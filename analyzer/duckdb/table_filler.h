// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_DUCKDB_TABLE_FILLER_H_
#define DLTAP_ANALYZER_DUCKDB_TABLE_FILLER_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "analyzer/duckdb/column_store.h"
#include "analyzer/duckdb/duckdb_functions.h"

namespace dltap::analyzer {

// CREATE TABLE for the columns. A column of texts is an ENUM of its
// dictionary, so that DuckDB neither stores nor hashes a text a row.
std::string SqlOfTable(std::string_view table, const ColumnStore& rows);

// Appends the rows to the table that SqlOfTable made.
absl::Status FillTable(const DuckdbFunctions& call, void* connection,
                       const std::string& table, const ColumnStore& rows);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_DUCKDB_TABLE_FILLER_H_
