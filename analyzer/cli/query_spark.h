// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_QUERY_SPARK_H_
#define DLTAP_ANALYZER_CLI_QUERY_SPARK_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/duckdb/duckdb.h"

namespace dltap::analyzer {

struct SparkOptions {
  std::string master;             // as Spark's; empty: what Spark is set up for
  std::vector<std::string> conf;  // KEY=VALUE
};

// Asks the data set by `spark-submit`: of $SPARK_HOME, or found in PATH.
// kUnavailable: there is none. Spark's own words go to stderr.
absl::Status QueryBySpark(
    const std::string& dataset, const std::string& sql,
    const SparkOptions& options,
    const std::function<RowSink&(const ResultColumns&)>& begin);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_QUERY_SPARK_H_
