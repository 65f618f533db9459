// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/summarise_trace.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/metrics/collectives/world_place.h"
#include "analyzer/metrics/slices/sliced_summary.h"
#include "analyzer/model/kept_memory.h"
#include "analyzer/reader/sliced_trace.h"

namespace dltap::analyzer {
namespace {

// Files below this are read whole, in some 1.2 GB at most: all views are there.
constexpr size_t kLongBytes = 256 << 20;

SummarisedTrace OfParts(const Selection& selection, Summary summary) {
  absl::Status usage = CheckParts(selection, summary);
  if (!usage.ok()) return {std::move(usage), absl::CancelledError()};
  return {absl::OkStatus(), std::move(summary)};
}

SummarisedTrace Whole(const std::vector<std::string>& paths,
                      const AttributionOptions& attribution,
                      const SelectionOptions& options,
                      Pictures* pictures = nullptr) {
  const absl::StatusOr<TraceModel> model = LoadTrace(paths);
  if (!model.ok()) return {absl::OkStatus(), model.status()};
  const absl::StatusOr<Selection> selection = ParseSelection(options, *model);
  if (!selection.ok()) return {selection.status(), absl::CancelledError()};
  return OfParts(*selection, Summarise(*model, Attribute(*model, attribution),
                                       *selection, pictures));
}

size_t BytesOf(const std::vector<ProcessFiles>& files) {
  size_t bytes = 0;
  for (const ProcessFiles& process : files) {
    for (const TraceFile& file : process.data) {
      bytes += file.file.bytes().size();
    }
  }
  return bytes;
}

// As RankByWorld, of what is not in memory.
void RankInSlices(SlicedTrace& trace) {
  const std::vector<Process>& processes = trace.model().processes;
  std::vector<bool> works;
  for (size_t p = 0; p < processes.size(); ++p) {
    works.push_back(trace.TotalsOf(p).activities > 0);
  }
  if (!NeedsWorld(trace.model(), works)) return;
  std::vector<RankClaim> claims;
  for (size_t p = 0; p < processes.size(); ++p) {
    RankClaim& claim = claims.emplace_back(works[p], processes[p].rank);
    const std::vector<TimePart>& meetings = trace.MeetingsOf(p);
    if (meetings.empty()) continue;
    claim.world = FindWorldPlace(trace.model(), trace.Read(p, meetings));
  }
  const std::vector<bool> by_world = RankedByWorld(claims);
  for (size_t p = 0; p < processes.size(); ++p) {
    const auto& world = claims[p].world;
    if (by_world[p] && world) trace.SetRank(p, world->rank, world->ranks);
  }
}

// nullopt: it is short, or can't be read in slices.
std::optional<SummarisedTrace> InSlices(const std::vector<std::string>& paths,
                                        const AttributionOptions& attribution,
                                        const SelectionOptions& options) {
  const absl::StatusOr<TraceInputs> inputs = FindInputs(paths);
  if (!inputs.ok() || inputs->kind != InputKind::kOwnTrace) return {};
  std::vector<std::string> problems;
  absl::StatusOr<std::vector<ProcessFiles>> files =
      OpenTraceFiles(inputs->paths, &problems);
  if (!files.ok() || BytesOf(*files) < kLongBytes) return {};
  KeepFreedMemoryInLargePages();
  ProgressBar bar(2);
  SlicedTrace trace(*std::move(files), &problems, bar.OfFile(0));
  RankInSlices(trace);
  const absl::StatusOr<Selection> selection =
      ParseSelection(options, trace.model());
  if (!selection.ok()) {
    return SummarisedTrace{selection.status(), absl::CancelledError()};
  }
  std::string why_not;
  std::optional<Summary> summary = SummariseInSlices(
      trace, attribution, *selection, {}, why_not, bar.OfFile(1));
  if (!summary) {
    PrintError(absl::StrCat("warning: the whole trace is read at once, since ",
                            why_not));
    return {};
  }
  PrintProblems(problems);
  PrintError(
      "warning: a long trace was read slice by slice, without memory, "
      "layers and what-if; --by memory, layer or what-if reads it at once");
  return OfParts(*selection, *std::move(summary));
}

}  // namespace

SummarisedTrace SummariseTrace(const std::vector<std::string>& paths,
                               const AttributionOptions& attribution,
                               const SelectionOptions& selection,
                               bool needs_whole) {
  KeepFreedMemory();
  if (needs_whole) return Whole(paths, attribution, selection);
  if (auto sliced = InSlices(paths, attribution, selection)) {
    return *std::move(sliced);
  }
  return Whole(paths, attribution, selection);
}

SummarisedTrace SummariseWithPictures(const std::vector<std::string>& paths,
                                      const AttributionOptions& attribution,
                                      const SelectionOptions& selection,
                                      std::optional<Pictures>& pictures) {
  KeepFreedMemory();
  SummarisedTrace trace =
      Whole(paths, attribution, selection, &pictures.emplace());
  if (trace.usage.ok() &&
      trace.summary.status().code() == absl::StatusCode::kResourceExhausted) {
    pictures.reset();
    PrintError(
        "warning: the trace does not fit into memory at once: no timelines, "
        "no single steps");
    return SummariseTrace(paths, attribution, selection);
  }
  return trace;
}

}  // namespace dltap::analyzer
