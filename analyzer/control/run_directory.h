// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_RUN_DIRECTORY_H_
#define DLTAP_ANALYZER_CONTROL_RUN_DIRECTORY_H_

#include <ctime>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// "dltap-train-20261121-154210" for "python train.py" style commands: the
// script's name where an interpreter runs one.
std::string DefaultRunDirectory(const std::vector<std::string>& command,
                                std::time_t now);

// `pattern` with %h (host), %p (this process), %r (rank), %q{NAME} and %%
// replaced.
absl::StatusOr<std::string> ExpandOutput(const std::string& pattern);

// Whether a process has written its trace there.
bool HoldsTrace(const std::string& directory);

// Creates the directory and its parents; returns its absolute path. One that
// holds a trace already is refused, unless several ranks share it (`shared`).
absl::StatusOr<std::string> MakeRunDirectory(const std::string& path,
                                             bool shared);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_RUN_DIRECTORY_H_
