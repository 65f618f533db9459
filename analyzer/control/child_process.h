// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_CHILD_PROCESS_H_
#define DLTAP_ANALYZER_CONTROL_CHILD_PROCESS_H_

#include <map>
#include <string>
#include <vector>

namespace dltap::analyzer {

struct ChildResult {
  // Not 0: exec failed with this errno, nothing ran.
  int exec_error = 0;
  // The child's code, or 128 + the signal that ended it.
  int exit_code = 0;
};

// Runs `command` (found in PATH) and waits for it. Meanwhile SIGINT, SIGTERM,
// SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 sent to this process go on to the child;
// those of the terminal reach it without our help. One at a time per process.
ChildResult RunChild(const std::vector<std::string>& command,
                     const std::map<std::string, std::string>& environment);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_CHILD_PROCESS_H_
