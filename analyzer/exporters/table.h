// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_TABLE_H_
#define DLTAP_ANALYZER_EXPORTERS_TABLE_H_

#include <span>
#include <string_view>

#include "analyzer/exporters/export_input.h"
#include "analyzer/output/row_sink.h"

namespace dltap::analyzer {

// One of the tables that README.md describes. Its columns may grow; they keep
// their names, types and meaning while kTableVersion stays.
struct ExportTable {
  std::string_view name;
  std::span<const TypedColumn> columns;
  void (*rows)(const ExportInput& input, RowSink& sink);
};

inline constexpr int kTableVersion = 1;

std::span<const ExportTable> AllTables();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_TABLE_H_
