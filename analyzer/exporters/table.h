// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_TABLE_H_
#define DLTAP_ANALYZER_EXPORTERS_TABLE_H_

#include <memory>
#include <span>
#include <string_view>

#include "analyzer/exporters/export_input.h"
#include "analyzer/output/column_rows.h"
#include "analyzer/output/row_sink.h"

namespace dltap::analyzer {

// One of the tables that README.md describes. Its columns may grow; they keep
// their names, types and meaning while kTableVersion stays.
struct ExportTable {
  std::string_view name;
  std::span<const TypedColumn> columns;
  // One of the two makes the rows: the second where there are many.
  void (*write_rows)(const ExportInput& input, RowSink& sink) = nullptr;
  std::unique_ptr<ColumnRows> (*make_rows)(const ExportInput& input) = nullptr;
};

std::unique_ptr<ColumnRows> RowsOf(const ExportTable& table,
                                   const ExportInput& input);
// The same rows, one by one.
void WriteRows(const ExportTable& table, const ExportInput& input,
               RowSink& sink);

inline constexpr int kTableVersion = 1;

std::span<const ExportTable> AllTables();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_TABLE_H_
