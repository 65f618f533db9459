// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cli/command.h"

namespace dltap::analyzer {
namespace {

void PrintHelp(std::FILE* out) {
  std::fputs("usage: dltap COMMAND [OPTIONS]\n\n", out);
  for (const Command& command : AllCommands()) {
    std::fprintf(out, "  %-8s  %s\n", std::string(command.name).c_str(),
                 std::string(command.synopsis).c_str());
  }
  std::fputs("\ndltap help COMMAND tells more of one.\n", out);
}

const Command* FindCommand(std::string_view name) {
  for (const Command& command : AllCommands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

int Unknown(std::string_view name) {
  PrintError("unknown command \"" + std::string(name) +
             "\"; dltap help lists all");
  return kExitUsage;
}

int Main(std::vector<std::string> args) {
  if (args.empty()) {
    PrintHelp(stderr);
    return kExitUsage;
  }
  const std::string name = args.front();
  args.erase(args.begin());
  if (name == "--version" || name == "version") {
    std::puts("dltap " DLTAP_VERSION);
    return kExitOk;
  }
  if (name == "--help" || name == "-h" || (name == "help" && args.empty())) {
    PrintHelp(stdout);
    return kExitOk;
  }
  if (name == "help") {
    const Command* command = FindCommand(args.front());
    return command == nullptr ? Unknown(args.front())
                              : command->run({"--help"});
  }
  const Command* command = FindCommand(name);
  return command == nullptr ? Unknown(name) : command->run(args);
}

}  // namespace
}  // namespace dltap::analyzer

int main(int argc, char** argv) {
  // A reader that closes the pipe early is no error worth a word.
  std::signal(SIGPIPE, SIG_DFL);
  return dltap::analyzer::FinishOutput(
      dltap::analyzer::Main({argv + 1, argv + argc}));
}
