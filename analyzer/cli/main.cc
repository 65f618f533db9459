// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "analyzer/cli/command.h"

namespace dltap::analyzer {
namespace {

int Main(std::vector<std::string> args) {
  if (args.empty()) {
    PrintCommands(stderr);
    return kExitUsage;
  }
  const std::string name = args.front();
  args.erase(args.begin());
  if (name == "--version" || name == "-V" || name == "version") {
    return PrintVersions();
  }
  if (name == "--help" || name == "-h") {
    PrintCommands(stdout);
    return kExitOk;
  }
  const Command* command = FindCommand(name);
  return command == nullptr ? UnknownCommand(name) : command->run(args);
}

}  // namespace
}  // namespace dltap::analyzer

int main(int argc, char** argv) {
  // A reader that closes the pipe early is no error worth a word.
  std::signal(SIGPIPE, SIG_DFL);
  return dltap::analyzer::FinishOutput(
      dltap::analyzer::Main({argv + 1, argv + argc}));
}
