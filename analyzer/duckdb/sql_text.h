// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_DUCKDB_SQL_TEXT_H_
#define DLTAP_ANALYZER_DUCKDB_SQL_TEXT_H_

#include <string>
#include <string_view>

namespace dltap::analyzer {

// As DuckDB's SQL writes a text, and a name.
std::string SqlText(std::string_view text);
std::string SqlName(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_DUCKDB_SQL_TEXT_H_
