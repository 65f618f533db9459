// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_COMMAND_LINE_H_
#define DLTAP_ANALYZER_REPORTS_COMMAND_LINE_H_

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// What a process was started as, in one line of printable text: the program's
// base name, then the arguments as they were given, quoted where words would
// run together. Long arguments lose their middle, long lines their end. The
// program's name alone where the trace has no arguments; empty: no name either.
std::string CommandText(std::string_view program,
                        const std::vector<std::string>& command, bool is_cut);

// The same with nothing left out.
std::string WholeCommandText(std::string_view program,
                             const std::vector<std::string>& command,
                             bool is_cut);

// The command of the whole run: that of the first process with GPU work, and
// how many other commands there were.
std::string CommandsText(const Summary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_COMMAND_LINE_H_
