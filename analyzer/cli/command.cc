// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "analyzer/cli/usage_error.h"
#include "analyzer/output/near_names.h"

namespace dltap::analyzer {
namespace {

const Command kCommands[] = {
    {"run", "run a program under the profiler", RunRun},
    {"report", "say where the GPU's time goes, per layer class", RunReport},
    {"view", "open the report as a page in the browser", RunView},
    {"diff", "say how two runs differ, and judge it by rules", RunDiff},
    {"ci", "gate what a program does on simulated GPUs", RunCi},
    {"export", "write a trace in another tool's format", RunExport},
    {"predict",
     "model the time of operations on a GPU",
     RunPredict,
     {"--scaling", "--faster"}},
    {"info", "say what a trace holds", RunInfo},
    {"check", "say what is damaged or lost in a trace", RunCheck},
    {"dump", "print a trace as text", RunDump},
    {"pack", "pack a trace into one small file, or ranks into a data set", RunPack},
    {"query", "ask a data set of many ranks", RunQuery},
    {"doctor", "say what a recording will see and what not", RunDoctor},
    {"ctl", "start, stop, copy or ask a running recording", RunCtl},
    {"lib", "print the path of libdltap.so", RunLib},
    {"completion", "print what completes dltap's words in a shell",
     RunCompletion},
    {"help", "say what a command does, or write manual pages", RunHelp},
};

// What looks at a command's options in place of parsing; see VisitForms.
const std::function<void(CLI::App&)>* g_look = nullptr;

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk: return kExitOk;
    case absl::StatusCode::kUnimplemented: return kExitNewerFormat;
    case absl::StatusCode::kUnavailable: return kExitNoBackend;
    default: return kExitBadInput;
  }
}

// "dltap report" -> "report".
std::string CommandOf(const CLI::App& app) {
  return app.get_name().substr(app.get_name().find(' ') + 1);
}

std::string ExamplesText(const std::string& command) {
  std::string text;
  for (const std::string& example : ExamplesOf(command)) {
    text += (text.empty() ? "\nExamples:\n  " : "  ") + example + "\n";
  }
  return text;
}

}  // namespace

std::span<const Command> AllCommands() { return kCommands; }

void PrintError(std::string_view message) {
  std::string line(message);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "dltap: %s\n", line.c_str());
}

int Fail(const absl::Status& status) {
  PrintError(std::string(status.message()));
  return ExitCodeOf(status);
}

int FailUsage(std::string_view command, const absl::Status& status) {
  PrintError(std::string(command) + ": " + std::string(status.message()));
  return kExitUsage;
}

int FinishOutput(int code) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written && std::cout.good()) return code;
  PrintError(std::string("cannot write to stdout: ") + std::strerror(errno));
  return code == kExitOk ? kExitBadInput : code;
}

void VisitForms(const Command& command,
                const std::function<void(CLI::App&)>& look) {
  g_look = &look;
  command.run({});
  for (const std::string& form : command.forms) command.run({form});
  g_look = nullptr;
}

std::optional<int> ParseArgs(CLI::App& app,
                             const std::vector<std::string>& args) {
  if (g_look != nullptr) {
    (*g_look)(app);
    return kExitOk;
  }
  // "--scaling --help" would be a value.
  const bool asks = std::find(args.begin(), args.end(), "--help") != args.end();
  // CLI11 takes the arguments last first.
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  if (asks) reversed = {"--help"};
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help() << ExamplesText(CommandOf(app));
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    PrintError(AndThen(CommandOf(app) + ": " + UsageError(app, error),
                       "see " + app.get_name() + " --help"));
    return kExitUsage;
  }
  return std::nullopt;
}

}  // namespace dltap::analyzer
