// SPDX-License-Identifier: Apache-2.0
#include "analyzer/duckdb/sql_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace dltap::analyzer {

std::string SqlText(std::string_view text) {
  return absl::StrCat(
      "'", absl::StrReplaceAll(std::string(text), {{"'", "''"}}), "'");
}

std::string SqlName(std::string_view name) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(std::string(name), {{"\"", "\"\""}}), "\"");
}

std::string EscapedPath(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool is_pattern = c == '*' || c == '?' || c == '[' || c == ']';
    is_pattern ? out.append({'[', c, ']'}) : out += c;
  }
  return out;
}

}  // namespace dltap::analyzer
