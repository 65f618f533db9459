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

}  // namespace dltap::analyzer
