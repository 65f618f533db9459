// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_COMMAND_PAGE_H_
#define DLTAP_ANALYZER_CLI_COMMAND_PAGE_H_

#include <string>
#include <vector>

#include "analyzer/cli/command.h"

namespace dltap::analyzer {

// One option or positional argument, as help, manual pages and completion tell
// of it.
struct OptionRow {
  std::vector<std::string> names;  // "-o", "--output"; of a positional "TRACE"
  std::string text;
  std::vector<std::string> choices;  // empty: anything, or a file
  bool is_positional = false;
  bool is_required = false;
  bool takes_value = false;
  bool may_repeat = false;
};

// What the tables of a command's options say, all its forms together.
struct CommandPage {
  std::string name;
  std::string synopsis;
  std::vector<std::string> descriptions;  // of each form
  std::vector<std::string> footers;
  std::vector<OptionRow> options;
  std::vector<std::string> examples;
};

CommandPage PageOf(const Command& command);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_COMMAND_PAGE_H_
