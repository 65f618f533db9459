// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_CSV_ROWS_H_
#define DLTAP_ANALYZER_EXPORTERS_CSV_ROWS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// Rows as CSV (RFC 4180) with a line of names. Nothing stands for what is not
// known, "" for an empty text.
class CsvRows : public RowSink {
 public:
  CsvRows(std::span<const TypedColumn> columns, ByteSink sink);

  void Text(std::string_view text) override;
  void Integer(int64_t number) override;
  void Real(double number) override;
  void Flag(bool flag) override;
  void Null() override { Separate(); }
  void EndRow() override;

 private:
  void Separate();
  template <typename T>
  void Number(T number);

  const ByteSink sink_;
  std::string row_;
  bool is_first_ = true;
};

// A table as CsvRows writes it.
void WriteCsv(const ExportTable& table, const ExportInput& input,
              const ByteSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_CSV_ROWS_H_
