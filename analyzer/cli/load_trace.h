// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_LOAD_TRACE_H_
#define DLTAP_ANALYZER_CLI_LOAD_TRACE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// One normalised model of all `paths`: own traces (a directory, or data
// files), Kineto JSON, recognised by content. Errors say what, where and what
// next. Traces of different kinds don't merge.
absl::StatusOr<TraceModel> LoadTrace(const std::vector<std::string>& paths);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_LOAD_TRACE_H_
