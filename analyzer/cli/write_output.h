// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_WRITE_OUTPUT_H_
#define DLTAP_ANALYZER_CLI_WRITE_OUTPUT_H_

#include <string>

#include "absl/status/status.h"

namespace dltap::analyzer {

// To the file, which it replaces; "-" is stdout, whose failures FinishOutput
// tells.
absl::Status WriteOutput(const std::string& path, const std::string& text);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_WRITE_OUTPUT_H_
