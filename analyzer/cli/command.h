// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_COMMAND_H_
#define DLTAP_ANALYZER_CLI_COMMAND_H_

#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"

namespace dltap::analyzer {

// What `dltap` ends with. `run` ends with the child's code, or as env(1) does.
enum ExitCode : int {
  kExitOk = 0,
  kExitThreshold = 1,  // diff --fail-on, check: the answer is no
  kExitUsage = 2,
  kExitBadInput = 3,  // unreadable or corrupt; output not writable
  kExitNewerFormat = 4,
  kExitNoBackend = 5,    // an optional library is not there
  kExitRunFailed = 125,  // run: dltap itself failed
  kExitNotExecutable = 126,
  kExitNotFound = 127,
};

// One row of the table of commands: `run` gets what follows the name.
struct Command {
  std::string_view name;
  std::string_view synopsis;
  int (*run)(const std::vector<std::string>& args);
  // An argument that makes another form of the command, with other options.
  std::vector<std::string> forms = {};
};

std::span<const Command> AllCommands();
const Command* FindCommand(std::string_view name);  // nullptr: there is none
int UnknownCommand(const std::string& name);        // says so

// What `dltap help` and `dltap --version` print.
void PrintCommands(std::FILE* out);
int PrintVersions();

// Command lines that show what it is for: "dltap report run1".
std::vector<std::string> ExamplesOf(std::string_view command);

// Calls `look` with the options of each form of `command`; runs nothing.
void VisitForms(const Command& command,
                const std::function<void(CLI::App&)>& look);

// Doors, one file each.
int RunRun(const std::vector<std::string>& args);
int RunReport(const std::vector<std::string>& args);
int RunView(const std::vector<std::string>& args);
int RunCi(const std::vector<std::string>& args);
int RunDiff(const std::vector<std::string>& args);
int RunExport(const std::vector<std::string>& args);
int RunPredict(const std::vector<std::string>& args);
int RunInfo(const std::vector<std::string>& args);
int RunCheck(const std::vector<std::string>& args);
int RunDump(const std::vector<std::string>& args);
int RunPack(const std::vector<std::string>& args);
int RunQuery(const std::vector<std::string>& args);
int RunDoctor(const std::vector<std::string>& args);
int RunCtl(const std::vector<std::string>& args);
int RunLib(const std::vector<std::string>& args);
int RunCompletion(const std::vector<std::string>& args);
int RunHelp(const std::vector<std::string>& args);

// Parses `args` with `app`. nullopt: go on; else the code to end with (help
// was printed, or a usage error).
std::optional<int> ParseArgs(CLI::App& app,
                             const std::vector<std::string>& args);

// "dltap: MESSAGE" on stderr, in one line.
void PrintError(std::string_view message);
// The same, and the exit code that belongs to the status.
int Fail(const absl::Status& status);
// The same for a value that `command` was given: the code is kExitUsage.
int FailUsage(std::string_view command, const absl::Status& status);

// Writes out what stands in the buffers of stdout. `code`, or that of a
// failure, which it says: a report that nobody got is no success.
int FinishOutput(int code);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_COMMAND_H_
