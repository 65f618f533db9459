// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "analyzer/cli/command.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/reader/text/trace_printer.h"

namespace dltap::analyzer {

int RunDump(const std::vector<std::string>& args) {
  std::vector<std::string> paths;
  PrintOptions options;
  CLI::App app(
      "Print a trace as text, one record a line, in the order of time. The "
      "text is a trace too: dltap reads it back.",
      "dltap dump");
  app.add_option("TRACE", paths, "directories or files")->required();
  app.add_flag("--canonical", options.canonical,
               "leave out what differs between equal runs");
  app.add_option("--limit", options.limit, "events per process at most");
  SelectionOptions choice;
  AddProcessOptions(app, choice);
  if (const auto code = ParseArgs(app, args)) return *code;
  absl::StatusOr<TraceModel> model = LoadTrace(paths);
  if (!model.ok()) return Fail(model.status());
  const absl::StatusOr<Selection> selection = ParseSelection(choice, *model);
  if (!selection.ok()) return FailUsage("dump", selection.status());
  KeepSelected(*selection, *model);
  PrintTrace(
      *model, options,
      [](std::string_view piece, void*) {
        return std::fwrite(piece.data(), 1, piece.size(), stdout) ==
               piece.size();
      },
      nullptr);
  return kExitOk;
}

}  // namespace dltap::analyzer
