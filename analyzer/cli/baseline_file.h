// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_BASELINE_FILE_H_
#define DLTAP_ANALYZER_CLI_BASELINE_FILE_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/compare/baseline.h"

namespace dltap::analyzer {

// What the file holds; no file: nothing.
absl::StatusOr<Baseline> ReadBaseline(const std::string& path);

// Whether UpdateBaseline could write it: asked before a long run.
absl::Status CheckBaseline(const std::string& path);

// Puts the runs of a program, by GPU, into the file as it is now: others may
// have written meanwhile. The file is whole at any time.
absl::Status UpdateBaseline(const std::string& path, const std::string& program,
                            const std::map<std::string, BaselineRun>& runs);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_BASELINE_FILE_H_
