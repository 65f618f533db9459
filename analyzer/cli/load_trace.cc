// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/load_trace.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/input_kind.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/importers/file_bytes.h"
#include "analyzer/importers/kineto.h"
#include "analyzer/importers/nsys.h"
#include "analyzer/metrics/collectives/world_place.h"
#include "analyzer/model/kept_memory.h"
#include "analyzer/reader/text/text_parser.h"
#include "analyzer/reader/trace_reader.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kWarningsShown = 5;
constexpr double kSmallBytes = 1e9;

absl::StatusOr<InputKind> KindOf(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return InputKind::kOwnTrace;
  return KindOfFile(path);
}

using Importer = absl::Status (*)(const std::string& path, TraceModel& model,
                                  const ImportContext& context);

// Profilers write a file for each time that they record: files of equal PIDs
// whose times lie apart are one process's, or those of two hosts that have no
// names.
void TellPartsOfOne(const TraceModel& model,
                    std::vector<std::string>* problems) {
  std::map<std::pair<int64_t, std::optional<int>>, const Process*> last;
  std::vector<const Process*> by_time;
  for (const Process& process : model.processes) by_time.push_back(&process);
  std::ranges::stable_sort(by_time, {}, &Process::begin_ns);
  size_t parts = 0;
  for (const Process* process : by_time) {
    if (process->pid == 0 || !process->host.empty()) continue;
    const Process*& before = last[{process->pid, process->rank}];
    if (before != nullptr && before->end_ns <= process->begin_ns) ++parts;
    before = process;
  }
  if (parts == 0 || problems == nullptr) return;
  problems->push_back(absl::StrCat(
      parts == 1 ? "a file" : absl::StrCat(parts, " files"),
      " with the process of another one, recorded later: each counts as a "
      "process with GPUs of its own; times of a step are right"));
}

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
  TellPartsOfOne(model, problems);
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

// Free memory and what the kernel would give up; 0: unknown.
double AvailableBytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  double kibibytes = 0;
  while (file >> name >> kibibytes && std::getline(file, unit)) {
    if (name == "MemAvailable:") return kibibytes * 1024;
  }
  return 0;
}

// The whole model takes several times the bytes of its files.
absl::Status CheckMemory(std::span<const ProcessFiles> files) {
  constexpr double kBytesForOne = 5;
  double bytes = 0;
  for (const ProcessFiles& process : files) {
    for (const TraceFile& file : process.data) {
      bytes += static_cast<double>(file.file.bytes().size());
    }
  }
  const double wanted = kBytesForOne * bytes;
  if (wanted <= kSmallBytes) return absl::OkStatus();
  const double free = AvailableBytes();
  if (free == 0 || wanted <= free) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "%s: all of this trace at once would take about %.1f GB of memory, and "
      "%.1f GB are free; dltap report without options for a part of the run "
      "reads it slice by slice",
      files[0].data[0].file.path(), wanted * 1e-9, free * 1e-9));
}

absl::StatusOr<TraceModel> LoadOwn(const std::vector<std::string>& paths,
                                   std::vector<std::string>* problems) {
  const absl::StatusOr<std::vector<ProcessFiles>> files =
      OpenTraceFiles(paths, problems);
  if (!files.ok()) return files.status();
  if (absl::Status s = CheckMemory(*files); !s.ok()) return s;
  ProgressBar bar(1);
  return ReadProcesses(*files, problems, bar.OfFile(0));
}

absl::StatusOr<TraceModel> LoadInputs(InputKind kind,
                                      const std::vector<std::string>& inputs,
                                      std::vector<std::string>* problems) {
  switch (kind) {
    case InputKind::kOwnTrace: return LoadOwn(inputs, problems);
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

absl::Status VisitOwn(
    const std::vector<std::string>& paths, std::vector<std::string>* problems,
    const std::function<absl::Status(const TraceModel&)>& visit) {
  const absl::StatusOr<std::vector<ProcessFiles>> files =
      OpenTraceFiles(paths, problems);
  if (!files.ok()) return files.status();
  RealtimeOffsets offsets;
  ProgressBar bar(files->size());
  for (size_t i = 0; i < files->size(); ++i) {
    const std::span<const ProcessFiles> one(&(*files)[i], 1);
    if (absl::Status s = CheckMemory(one); !s.ok()) return s;
    const TraceModel model =
        ReadProcesses(one, offsets, problems, bar.OfFile(i));
    if (absl::Status s = visit(model); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TraceInputs> FindInputs(const std::vector<std::string>& paths) {
  std::vector<std::string> inputs;
  std::set<std::filesystem::path> seen;
  std::optional<InputKind> kind;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::vector<std::string>> found = InputsAt(path);
    if (!found.ok()) return found.status();
    for (const std::string& input : *found) {
      std::error_code error;
      const auto file = std::filesystem::canonical(input, error);
      if (!error && !seen.insert(file).second) continue;
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
  return TraceInputs{kind.value_or(InputKind::kOwnTrace), std::move(inputs)};
}

absl::StatusOr<TraceModel> LoadTrace(const std::vector<std::string>& paths,
                                     std::vector<std::string>* problems) {
  KeepFreedMemory();
  const absl::StatusOr<TraceInputs> found = FindInputs(paths);
  if (!found.ok()) return found.status();
  absl::StatusOr<TraceModel> model =
      LoadInputs(found->kind, found->paths, problems);
  if (model.ok()) RankByWorld(*model);
  return model;
}

absl::Status VisitTraces(
    const std::vector<std::string>& paths, std::vector<std::string>* problems,
    const std::function<absl::Status(const TraceModel&)>& visit) {
  KeepFreedMemory();
  const absl::StatusOr<TraceInputs> found = FindInputs(paths);
  if (!found.ok()) return found.status();
  if (found->kind == InputKind::kOwnTrace) {
    return VisitOwn(found->paths, problems, visit);
  }
  for (const std::string& path : found->paths) {
    const absl::StatusOr<TraceModel> model =
        LoadInputs(found->kind, {path}, problems);
    if (!model.ok()) return model.status();
    if (absl::Status s = visit(*model); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void PrintProblems(const std::vector<std::string>& problems) {
  for (size_t i = 0; i < std::min(problems.size(), kWarningsShown); ++i) {
    PrintError("warning: " + problems[i]);
  }
  if (problems.size() > kWarningsShown) {
    PrintError(absl::StrCat("warning: ", problems.size() - kWarningsShown,
                            " more; dltap check lists all"));
  }
}

absl::StatusOr<TraceModel> LoadTrace(const std::vector<std::string>& paths) {
  std::vector<std::string> problems;
  absl::StatusOr<TraceModel> model = LoadTrace(paths, &problems);
  if (model.ok()) PrintProblems(problems);
  return model;
}

}  // namespace dltap::analyzer
