// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_LOAD_TRACE_H_
#define DLTAP_ANALYZER_CLI_LOAD_TRACE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/cli/input_kind.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// One normalised model of all `paths`, each a file or a directory, recognised
// by content: own traces, Kineto JSON(.gz), the text of dltap dump. Errors say
// what, where and what next. Traces of different kinds don't merge.
//
// What was left out of a readable trace goes to `problems`, a line each. An own
// trace that would not fit into memory is an error (kResourceExhausted).
absl::StatusOr<TraceModel> LoadTrace(const std::vector<std::string>& paths,
                                     std::vector<std::string>* problems);

// The same; problems are warnings on stderr.
absl::StatusOr<TraceModel> LoadTrace(const std::vector<std::string>& paths);

// The same, one process of own traces or one file of others after the other,
// so that memory holds one. The error of `visit` ends it.
absl::Status VisitTraces(
    const std::vector<std::string>& paths, std::vector<std::string>* problems,
    const std::function<absl::Status(const TraceModel&)>& visit);

// What `paths` hold, without reading it: own traces, say, and their files.
struct TraceInputs {
  InputKind kind = InputKind::kOwnTrace;
  std::vector<std::string> paths;
};
absl::StatusOr<TraceInputs> FindInputs(const std::vector<std::string>& paths);

// Prints the first ones as warnings.
void PrintProblems(const std::vector<std::string>& problems);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_LOAD_TRACE_H_
