// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_ENGINE_ANSWER_H_
#define DLTAP_ANALYZER_QUERY_ENGINE_ANSWER_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "analyzer/duckdb/duckdb.h"

namespace dltap::analyzer {

// What `spark_query.py --answer` wrote:
//   {"columns": [["rank", "integer"], ...], "rows": [[3, ...], ...]}
// with the types text, integer, real, flag; a real that is no number comes as
// text ("nan", "inf", "-inf"). `begin` gets the columns and gives who takes the
// rows. kDataLoss: the text is something else.
absl::Status ReadEngineAnswer(
    const std::string& json,
    const std::function<RowSink&(const ResultColumns&)>& begin);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_ENGINE_ANSWER_H_
