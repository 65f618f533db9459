// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/load_trace.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/input_kind.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/importers/file_bytes.h"
#include "analyzer/importers/kineto.h"
#include "analyzer/importers/nsys.h"
#include "analyzer/reader/text/text_parser.h"
#include "analyzer/reader/trace_reader.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kWarningsShown = 5;

absl::StatusOr<InputKind> KindOf(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return InputKind::kOwnTrace;
  return KindOfFile(path);
}

using Importer = absl::Status (*)(const std::string& path, TraceModel& model,
                                  const ImportContext& context);

absl::StatusOr<TraceModel> LoadWith(Importer import,
                                    const std::vector<std::string>& paths,
                                    std::vector<std::string>* problems) {
  TraceModel model;
  ProgressBar bar(paths.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    const ImportContext context = {problems, bar.OfFile(i)};
    if (absl::Status s = import(paths[i], model, context); !s.ok()) return s;
  }
  Normalise(model);
  return model;
}

absl::StatusOr<TraceModel> LoadText(const std::vector<std::string>& paths) {
  if (paths.size() > 1) {
    return absl::DataLossError(
        absl::StrCat(paths[1], ": text traces don't merge; name one of them"));
  }
  const absl::StatusOr<std::string> text = ReadFileBytes(paths[0]);
  if (!text.ok()) return text.status();
  absl::StatusOr<TraceModel> model = ParseTraceText(*text);
  if (!model.ok()) {
    return absl::DataLossError(
        absl::StrCat(paths[0], ": ", model.status().message()));
  }
  model->files.push_back(paths[0]);
  return model;
}

}  // namespace

absl::StatusOr<TraceModel> LoadTrace(const std::vector<std::string>& paths,
                                     std::vector<std::string>* problems) {
  std::vector<std::string> inputs;
  std::optional<InputKind> kind;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::vector<std::string>> found = InputsAt(path);
    if (!found.ok()) return found.status();
    for (const std::string& input : *found) {
      const absl::StatusOr<InputKind> its_kind = KindOf(input);
      if (!its_kind.ok()) return its_kind.status();
      if (kind.value_or(*its_kind) != *its_kind) {
        return absl::DataLossError(absl::StrCat(
            input,
            ": traces of different kinds don't merge; name them in "
            "separate runs of dltap"));
      }
      kind = *its_kind;
      inputs.push_back(input);
    }
  }
  switch (kind.value_or(InputKind::kOwnTrace)) {
    case InputKind::kOwnTrace: return ReadTrace(inputs, problems);
    case InputKind::kKineto: return LoadWith(ImportKineto, inputs, problems);
    case InputKind::kText: return LoadText(inputs);
    case InputKind::kNcuCsv:
      return absl::DataLossError(absl::StrCat(
          inputs[0],
          ": counters of Nsight Compute are no trace; dltap report reads such "
          "a file, one at a time"));
    case InputKind::kNsys: return LoadWith(ImportNsys, inputs, problems);
  }
  return absl::InternalError("load_trace: an input kind without reader");
}

absl::StatusOr<TraceModel> LoadTrace(const std::vector<std::string>& paths) {
  std::vector<std::string> problems;
  absl::StatusOr<TraceModel> model = LoadTrace(paths, &problems);
  if (!model.ok()) return model;
  for (size_t i = 0; i < std::min(problems.size(), kWarningsShown); ++i) {
    PrintError("warning: " + problems[i]);
  }
  if (problems.size() > kWarningsShown) {
    PrintError(absl::StrCat("warning: ", problems.size() - kWarningsShown,
                            " more; dltap check lists all"));
  }
  return model;
}

}  // namespace dltap::analyzer
