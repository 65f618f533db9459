// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_USAGE_ERROR_H_
#define DLTAP_ANALYZER_CLI_USAGE_ERROR_H_

#include <string>

#include "CLI/CLI.hpp"

namespace dltap::analyzer {

// What `app` could not parse, and what was perhaps meant: "unknown option
// --topp; did you mean --top?".
std::string UsageError(CLI::App& app, const CLI::ParseError& error);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_USAGE_ERROR_H_
