// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/exporters/chrome_trace.h"

namespace dltap::analyzer {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

absl::Status WriteTo(const std::string& path, const TraceModel& model,
                     const Attribution& attribution) {
  const auto failure = [&path] {
    return absl::InternalError(absl::StrCat(path, ": ", std::strerror(errno)));
  };
  const bool to_stdout = path == "-";
  File file(to_stdout ? stdout : std::fopen(path.c_str(), "wb"),
            to_stdout ? std::fflush : std::fclose);
  if (file == nullptr) return failure();
  WriteChromeTrace(model, attribution, [&file](std::string_view piece) {
    std::fwrite(piece.data(), 1, piece.size(), file.get());
  });
  if (std::fflush(file.get()) != 0 || std::ferror(file.get())) return failure();
  return absl::OkStatus();
}

}  // namespace

int RunExport(const std::vector<std::string>& args) {
  std::vector<std::string> paths;
  std::string format = "chrome";
  std::string output = "trace.json";
  SelectionOptions options;
  CLI::App app("Write a trace in another tool's format.", "dltap export");
  app.add_option("TRACE", paths, "directories or files")->required();
  app.add_option("--format", format, "chrome: opens in ui.perfetto.dev")
      ->check(CLI::IsMember({"chrome"}));
  app.add_option("-o,--output", output, "file to write; - for stdout");
  AddProcessOptions(app, options);
  if (const auto code = ParseArgs(app, args)) return *code;
  absl::StatusOr<TraceModel> model = LoadTrace(paths);
  if (!model.ok()) return Fail(model.status());
  const absl::StatusOr<Selection> selection = ParseSelection(options, *model);
  if (!selection.ok()) return FailUsage("export", selection.status());
  KeepSelected(*selection, *model);
  const absl::Status written = WriteTo(output, *model, Attribute(*model));
  if (!written.ok()) return Fail(written);
  if (output != "-") std::fprintf(stderr, "wrote %s\n", output.c_str());
  return kExitOk;
}

}  // namespace dltap::analyzer
