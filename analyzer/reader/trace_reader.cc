// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/trace_reader.h"

#include <utility>

#include "analyzer/reader/process_reader.h"
#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {
absl::StatusOr<TraceModel> ReadTrace(const std::vector<std::string>& paths,
                                     std::vector<std::string>* problems) {
  absl::StatusOr<std::vector<ProcessFiles>> files =
      OpenTraceFiles(paths, problems);
  if (!files.ok()) return files.status();
  return ReadProcesses(*files, problems);
}

TraceModel ReadProcesses(const std::vector<ProcessFiles>& files,
                         std::vector<std::string>* problems,
                         const Progress& progress) {
  RealtimeOffsets offsets;
  return ReadProcesses(files, offsets, problems, progress);
}

TraceModel ReadProcesses(std::span<const ProcessFiles> files,
                         RealtimeOffsets& offsets,
                         std::vector<std::string>* problems,
                         const Progress& progress) {
  ModelBuilder builder;
  TraceModel& model = builder.model();
  model.format = SourceFormat::kDltap;
  model.processes.reserve(files.size());
  for (const ProcessFiles& process : files) {
    AddNames(process, model.files);
    const size_t index = model.processes.size();
    ProcessReader reader(process, builder, model.processes.emplace_back(),
                         problems, PartOf(progress, index, files.size()));
    reader.Prepare(offsets);
    reader.ReadAll();
  }
  Normalise(model);
  return std::move(model);
}

}  // namespace dltap::analyzer
