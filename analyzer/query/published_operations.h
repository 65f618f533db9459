// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_PUBLISHED_OPERATIONS_H_
#define DLTAP_ANALYZER_QUERY_PUBLISHED_OPERATIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/query/pipeline_operation.h"

namespace dltap::analyzer {

// A pipeline's operations as ByteDance's StragglerAnalysis publishes them:
// NAME.parquet, a row an operation, and beside it NAME_meta.yaml, where the
// degrees of parallelism stand.
struct PublishedOperations {
  std::vector<PipelineOperation> operations;
  bool has_replicas = false;  // whose gradients are reduced
};

// Errors: no DuckDB, no such file or columns, an operation of another name.
absl::StatusOr<PublishedOperations> ReadPublishedOperations(
    const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_PUBLISHED_OPERATIONS_H_
