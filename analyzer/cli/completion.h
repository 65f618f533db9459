// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_COMPLETION_H_
#define DLTAP_ANALYZER_CLI_COMPLETION_H_

#include <string>
#include <vector>

#include "analyzer/cli/command_page.h"

namespace dltap::analyzer {

// Scripts for three shells, made of the same pages as the help.
std::string BashCompletion(const std::vector<CommandPage>& pages);
std::string ZshCompletion(const std::vector<CommandPage>& pages);
std::string FishCompletion(const std::vector<CommandPage>& pages);

// After these a command line of somebody else's follows: `dltap run CMD`.
inline bool TakesProgram(const CommandPage& page) {
  return page.name == "run" || page.name == "doctor";
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_COMPLETION_H_
