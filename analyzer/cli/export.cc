// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/exporters/formats.h"
#include "analyzer/exporters/output_files.h"

namespace dltap::analyzer {
namespace {

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const ExportFormat& format : AllFormats()) {
    names.emplace_back(format.name);
  }
  return names;
}

std::string FormatHelp() {
  std::string help = "Formats:\n";
  for (const ExportFormat& format : AllFormats()) {
    std::string name(format.name);
    name.resize(12, ' ');
    help += "  " + name + std::string(format.opens_in) + "\n";
  }
  return help;
}

bool NamesFolder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || std::filesystem::is_directory(path, error);
}

absl::Status WriteAll(const ExportFormat& format, const ExportInput& input,
                      OutputPlace place) {
  std::vector<ExportFile> files = format.files(input);
  if (files.empty()) return absl::InvalidArgumentError("no process to export");
  const std::string name = "trace" + std::string(format.extension);
  for (ExportFile& file : files) {
    if (file.name.empty()) file.name = name;
  }
  place.is_folder =
      format.extension.empty() || files.size() > 1 || NamesFolder(place.path);
  if (place.path.empty()) place.path = place.is_folder ? "trace" : name;
  ProgressBar bar(1);
  const auto progress = bar.OfFile(0);
  const absl::Status status =
      WriteFiles(files, place, [&progress, &files](size_t done) {
        if (progress) progress(static_cast<double>(done) / files.size());
      });
  if (status.ok() && place.path != "-") {
    std::fprintf(stderr, "dltap: wrote %s\n", place.path.c_str());
  }
  return status;
}

}  // namespace

int RunExport(const std::vector<std::string>& args) {
  std::vector<std::string> paths;
  std::string format = "chrome";
  OutputPlace place;
  SelectionOptions options;
  CLI::App app("Write a trace in another tool's format.", "dltap export");
  app.footer(FormatHelp());
  app.add_option("TRACE", paths, "directories or files")->required();
  app.add_option("--format", format, "one of the formats below")
      ->check(CLI::IsMember(FormatNames()))
      ->capture_default_str();
  app.add_option("-o,--output", place.path,
                 "file or folder to write, \"trace...\" by default; - for "
                 "stdout; a name that ends in .gz is compressed");
  app.add_flag("--force", place.may_replace, "replace files that exist");
  AddPartOptions(app, options);
  if (const auto code = ParseArgs(app, args)) return *code;
  // Before a long trace is read.
  if (!NamesFolder(place.path)) {
    const absl::Status free = CheckFree(place.path, place.may_replace);
    if (!free.ok()) return Fail(free);
  }
  absl::StatusOr<TraceModel> model = LoadTrace(paths);
  if (!model.ok()) return Fail(model.status());
  const absl::StatusOr<Selection> selection = ParseSelection(options, *model);
  if (!selection.ok()) return FailUsage("export", selection.status());
  const absl::Status inside = CheckWindow(*selection, *model);
  if (!inside.ok()) return FailUsage("export", inside);
  KeepSelected(*selection, *model);
  const Attribution attribution = Attribute(*model);
  const ExportInput input = MakeExportInput(*model, attribution, *selection);
  const absl::Status written = WriteAll(*FindFormat(format), input, place);
  if (absl::IsInvalidArgument(written)) return FailUsage("export", written);
  return written.ok() ? kExitOk : Fail(written);
}

}  // namespace dltap::analyzer
