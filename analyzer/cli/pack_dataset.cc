// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/pack_dataset.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/attribution/attribution.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/exporters/dataset_writer.h"
#include "analyzer/exporters/export_input.h"
#include "analyzer/query/gather_ranks.h"

namespace dltap::analyzer {
namespace {

absl::Status AddModel(const TraceModel& model, DatasetWriter& writer) {
  const Attribution attribution = Attribute(model);
  ExportInput input = MakeExportInput(model, attribution, {});
  input.zero_ns = UnixZeroNs(model);
  for (size_t p = 0; p < model.processes.size(); ++p) {
    if (absl::Status s = writer.Add(input, p); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void Say(const PackedRanks& packed, const DatasetOptions& options) {
  if (!packed.without.empty()) {
    PrintError(absl::StrCat("left out, for they did no GPU work: ",
                            absl::StrJoin(packed.without, ", ")));
  }
  uint64_t events = 0;
  for (const PackedRank& rank : packed.ranks) {
    events += rank.events;
    if (rank.replaced) {
      PrintError(absl::StrCat("rank ", rank.rank, " of run ", options.run,
                              " was there and is replaced; --run NAME keeps "
                              "another run beside it"));
    }
    if (rank.from == RankFrom::kOrder) {
      PrintError(
          absl::StrCat("the trace names no rank for a process: it is "
                       "rank ",
                       rank.rank, " here; --rank N names it"));
    }
  }
  PrintError(absl::StrCat("run ", options.run, ": ", packed.ranks.size(),
                          packed.ranks.size() == 1 ? " rank, " : " ranks, ",
                          events, " kernels and calls"));
}

}  // namespace

absl::Status PackDataset(const std::vector<std::string>& traces,
                         const DatasetOptions& options) {
  absl::StatusOr<DatasetWriter> writer = DatasetWriter::Open(options);
  if (!writer.ok()) return writer.status();
  std::vector<std::string> problems;
  const absl::Status added = VisitTraces(
      traces, &problems,
      [&writer](const TraceModel& model) { return AddModel(model, *writer); });
  if (!added.ok()) return added;
  PrintProblems(problems);
  const absl::StatusOr<PackedRanks> packed = writer->Commit();
  if (!packed.ok()) return packed.status();
  Say(*packed, options);
  const absl::Status gathered =
      GatherRanks(options.folder, options.run, /*always=*/false);
  if (!gathered.ok()) {
    PrintError(absl::StrCat("the ranks are packed, but questions about many "
                            "will take longer: ",
                            gathered.message()));
  }
  return absl::OkStatus();
}

}  // namespace dltap::analyzer
