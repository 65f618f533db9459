// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/completion.h"

#include <cstdio>
#include <string>

#include "analyzer/cli/command.h"

namespace dltap::analyzer {

int RunCompletion(const std::vector<std::string>& args) {
  std::string shell;
  CLI::App app(
      "Print what completes dltap's commands, options and their values in a "
      "shell.",
      "dltap completion");
  app.add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  if (const auto code = ParseArgs(app, args)) return *code;
  std::vector<CommandPage> pages;
  for (const Command& command : AllCommands()) {
    pages.push_back(PageOf(command));
  }
  const std::string script = shell == "bash"  ? BashCompletion(pages)
                             : shell == "zsh" ? ZshCompletion(pages)
                                              : FishCompletion(pages);
  std::fwrite(script.data(), 1, script.size(), stdout);
  return kExitOk;
}

}  // namespace dltap::analyzer
