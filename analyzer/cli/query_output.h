// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_QUERY_OUTPUT_H_
#define DLTAP_ANALYZER_CLI_QUERY_OUTPUT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/duckdb/duckdb.h"
#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// Takes the rows of an answer and writes them.
class QueryOutput : public RowSink {
 public:
  // What comes after the last row.
  virtual void Finish() = 0;
};

// "table", "csv", "json"; Parquet is written by the engine itself.
const std::vector<std::string>& QueryFormats();
std::unique_ptr<QueryOutput> MakeQueryOutput(std::string_view format,
                                             const ResultColumns& columns,
                                             ByteSink sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_QUERY_OUTPUT_H_
