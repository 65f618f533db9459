// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/sliced_trace.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dltap::analyzer {

SlicedTrace::SlicedTrace(std::vector<ProcessFiles> files,
                         std::vector<std::string>* problems,
                         const Progress& progress)
    : files_(std::move(files)), model_(builder_.model()) {
  RealtimeOffsets offsets;
  model_.format = SourceFormat::kDltap;
  model_.processes.reserve(files_.size());
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (const ProcessFiles& of_process : files_) {
    AddNames(of_process, model_.files);
    Process& process = model_.processes.emplace_back();
    ProcessReader& reader =
        *readers_.emplace_back(std::make_unique<ProcessReader>(
            of_process, builder_, process, problems,
            PartOf(progress, readers_.size(), files_.size())));
    reader.Prepare(offsets);
    reader.Survey();
    if (process.end_ns != process.begin_ns) {
      origin = std::min(origin, process.begin_ns);
    }
  }
  if (origin == std::numeric_limits<int64_t>::max()) return;
  for (const auto& reader : readers_) reader->Shift(-origin);
}

Process SlicedTrace::Read(size_t index, const std::vector<TimePart>& parts) {
  return readers_[index]->ReadParts(parts);
}

void SlicedTrace::SetRank(size_t process, int rank, int ranks) {
  model_.processes[process].rank = rank;
  model_.processes[process].world_size = ranks;
}

}  // namespace dltap::analyzer
