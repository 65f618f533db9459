// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/cli/completion.h"
#include "analyzer/cli/man_page.h"
#include "analyzer/output/near_names.h"

namespace dltap::analyzer {
namespace {

std::vector<CommandPage> AllPages() {
  std::vector<CommandPage> pages;
  for (const Command& command : AllCommands()) {
    pages.push_back(PageOf(command));
  }
  return pages;
}

absl::Status Write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (file) return absl::OkStatus();
  return absl::PermissionDeniedError(path.string() + ": cannot be written");
}

// Where man and the shells look for it below share/.
absl::Status WriteShare(const std::string& share) {
  const std::vector<CommandPage> pages = AllPages();
  std::vector<std::pair<std::string, std::string>> files = {
      {"man/man1/dltap.1", OverviewManPage(pages)},
      {"bash-completion/completions/dltap", BashCompletion(pages)},
      {"zsh/site-functions/_dltap", ZshCompletion(pages)},
      {"fish/vendor_completions.d/dltap.fish", FishCompletion(pages)}};
  for (const CommandPage& page : pages) {
    files.emplace_back("man/man1/dltap-" + page.name + ".1", ManPage(page));
  }
  for (const auto& [name, text] : files) {
    const absl::Status status =
        Write(std::filesystem::path(share) / name, text);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

const Command* FindCommand(std::string_view name) {
  for (const Command& command : AllCommands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

int UnknownCommand(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : AllCommands()) {
    names.emplace_back(command.name);
  }
  PrintError(
      AndThen("unknown command \"" + name + "\"" + DidYouMean(name, names),
              "dltap help lists all"));
  return kExitUsage;
}

void PrintCommands(std::FILE* out) {
  std::fputs("usage: dltap COMMAND [OPTIONS]\n\n", out);
  for (const Command& command : AllCommands()) {
    std::fprintf(out, "  %-10s  %s\n", std::string(command.name).c_str(),
                 std::string(command.synopsis).c_str());
  }
  std::fputs(
      "\ndltap help COMMAND tells more of one, dltap --version which this "
      "is.\n",
      out);
}

int RunHelp(const std::vector<std::string>& args) {
  std::string name;
  std::string folder;
  bool manual = false;
  CLI::App app("Say what the commands do, or one of them.", "dltap help");
  app.add_option("COMMAND", name, "one of those that dltap help lists");
  app.add_flag("--manual", manual, "the manual page, as man reads it");
  app.add_option("--write-share", folder,
                 "write all manual pages, and what completes words in bash, "
                 "zsh and fish, below this folder: ~/.local/share");
  if (const auto code = ParseArgs(app, args)) return *code;
  if (!folder.empty()) {
    const absl::Status written = WriteShare(folder);
    return written.ok() ? kExitOk : Fail(written);
  }
  const Command* command = FindCommand(name);
  if (!name.empty() && command == nullptr) return UnknownCommand(name);
  if (!manual && command != nullptr) return command->run({"--help"});
  if (!manual) {
    PrintCommands(stdout);
    return kExitOk;
  }
  const std::string page = command == nullptr ? OverviewManPage(AllPages())
                                              : ManPage(PageOf(*command));
  std::fwrite(page.data(), 1, page.size(), stdout);
  return kExitOk;
}

}  // namespace dltap::analyzer
