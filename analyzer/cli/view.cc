// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/html_page.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/cli/temporary_folder.h"

namespace dltap::analyzer {
namespace {

bool HasDisplay() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && value[0] != '\0') return true;
  }
  return false;
}

// Whether the desktop took the page. What its opener prints is nobody's
// business.
bool OpenInBrowser(const std::string& file) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  std::string program = "xdg-open";
  std::string path = file;
  char* argv[] = {program.data(), path.data(), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return error == 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int RunView(const std::vector<std::string>& args) {
  HtmlRequest request;
  request.command = "view";
  CLI::App app(
      "Write the report as a page to a temporary place and open it in the "
      "browser; no server is started. The path goes to stdout.",
      "dltap view");
  app.add_option("TRACE", request.paths, "directories or files, as for report")
      ->required();
  AddSelectionOptions(app, request.selection);
  bool no_open = false;
  app.add_flag("--no-open", no_open, "only print the path");
  if (const auto code = ParseArgs(app, args)) return *code;
  const absl::StatusOr<std::string> folder = MakeTemporaryFolder("view");
  if (!folder.ok()) return Fail(folder.status());
  const std::string file = absl::StrCat(*folder, "/report.html");
  if (const int code = WriteHtml(request, file); code != kExitOk) {
    rmdir(folder->c_str());
    return code;
  }
  std::printf("%s\n", file.c_str());
  if (no_open || !HasDisplay()) return kExitOk;
  if (!OpenInBrowser(file)) {
    PrintError(
        "warning: xdg-open could not open the page; open the path above");
  }
  return kExitOk;
}

}  // namespace dltap::analyzer
