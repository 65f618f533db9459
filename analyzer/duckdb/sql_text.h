// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_DUCKDB_SQL_TEXT_H_
#define DLTAP_ANALYZER_DUCKDB_SQL_TEXT_H_

#include <string>
#include <string_view>

namespace dltap::analyzer {

// As DuckDB's SQL writes a text, and a name.
std::string SqlText(std::string_view text);
std::string SqlName(std::string_view name);

// A path in which no character is a pattern.
std::string EscapedPath(std::string_view path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_DUCKDB_SQL_TEXT_H_
