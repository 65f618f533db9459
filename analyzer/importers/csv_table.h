// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_CSV_TABLE_H_
#define DLTAP_ANALYZER_IMPORTERS_CSV_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// A CSV file (RFC 4180) in memory: a header and rows of as many fields.
class CsvTable {
 public:
  struct Row {
    int64_t line;  // where it begins in the file, from 1
    std::vector<std::string> fields;
  };

  // `path` only labels errors. Accepts a byte-order mark, CRLF and quoted
  // fields; blank lines are skipped. Errors name the line.
  static absl::StatusOr<CsvTable> Parse(std::string_view text,
                                        std::string_view path,
                                        char separator = ',');

  const std::vector<std::string>& header() const { return header_; }
  const std::vector<Row>& rows() const { return rows_; }

  // Position of a column; -1 when the table has none of that name.
  int ColumnIndex(std::string_view name) const;

 private:
  std::vector<std::string> header_;
  std::vector<Row> rows_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_CSV_TABLE_H_
