// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/dataset_tables.h"

#include <string>

#include "absl/strings/str_join.h"
#include "analyzer/exporters/call_rows.h"
#include "analyzer/exporters/collectives_table.h"
#include "analyzer/exporters/event_tables.h"
#include "analyzer/exporters/gap_rows.h"
#include "analyzer/exporters/kernel_rows.h"
#include "analyzer/exporters/sum_tables.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr TypedColumn kRunsColumns[] = {{"process", kText},
                                        {"host", kText},
                                        {"pid", kInteger},
                                        {"program", kText},
                                        {"command", kText},
                                        {"framework", kText},
                                        {"world_size", kInteger},
                                        {"rank_from", kText},
                                        {"clock", kText},
                                        {"begin_ns", kInteger},
                                        {"end_ns", kInteger},
                                        {"complete", kFlag},
                                        {"format", kText},
                                        {"level", kText},
                                        {"simulated", kFlag},
                                        {"lost", kInteger},
                                        {"open_call", kText},
                                        {"dltap_version", kText},
                                        {"recorded_until_ns", kInteger}};

// 2001-09-09 to 2096: real time in ns. Clocks that begin with the machine, and
// times from 0, lie far below.
constexpr int64_t kFirstUnixNs = 1'000'000'000'000'000'000;
constexpr int64_t kLastUnixNs = 4'000'000'000'000'000'000;

std::string_view NameOf(SourceFormat format) {
  switch (format) {
    case SourceFormat::kDltap: return "dltap";
    case SourceFormat::kKineto: return "kineto";
    case SourceFormat::kNsys: break;
  }
  return "nsys";
}

uint64_t LostOf(const Process& process) {
  uint64_t lost = 0;
  for (const Loss& loss : process.losses) lost += loss.count;
  return lost;
}

// The call that a dead process hung in, the first if there are several.
std::string_view OpenCallOf(const TraceModel& model, const Process& process) {
  const OpenCall* first = nullptr;
  for (const OpenCall& call : process.open_calls) {
    if (first == nullptr || call.begin_ns < first->begin_ns) first = &call;
  }
  if (first == nullptr) return "";
  return model.entry_points[first->entry.value()].symbol;
}

}  // namespace

std::span<const ExportTable> DatasetTables() {
  static const ExportTable tables[] = {
      KernelsTable(),      CallsTable(),    CollectivesTable(),
      GapsTable(),         StepSumsTable(), ClassSumsTable(),
      DurationSumsTable(), DevicesTable(),  LooksTable()};
  return tables;
}

std::string_view Name(RankFrom from) {
  switch (from) {
    case RankFrom::kEnvironment: return "environment";
    case RankFrom::kOption: return "option";
    case RankFrom::kCommunicator: return "communicator";
    case RankFrom::kOrder: break;
  }
  return "order";
}

std::span<const TypedColumn> RunsColumns() { return kRunsColumns; }

void WriteRun(const ExportInput& input, size_t p, RankFrom from,
              std::optional<int> world_size, RowSink& sink) {
  const Process& process = input.model.processes[p];
  sink.Text(OwnerOf(process));
  sink.MaybeText(process.host);
  sink.Integer(process.pid);
  sink.MaybeText(process.program);
  sink.MaybeText(absl::StrJoin(process.command, " "));
  sink.MaybeText(process.framework);
  world_size ? sink.Integer(*world_size) : sink.Null();
  sink.Text(Name(from));
  sink.Text(input.zero_ns == 0 ? "trace" : "unix");
  sink.Integer(input.At(process.begin_ns));
  sink.Integer(input.At(process.end_ns));
  sink.Flag(process.complete);
  sink.Text(NameOf(input.model.format));
  sink.MaybeText(process.level);
  sink.Flag(input.model.simulated);
  sink.Integer(static_cast<int64_t>(LostOf(process)));
  sink.MaybeText(OpenCallOf(input.model, process));
  sink.Text(DLTAP_VERSION);
  process.recorded_until_ns ? sink.Integer(input.At(*process.recorded_until_ns))
                            : sink.Null();
  sink.EndRow();
}

int64_t UnixZeroNs(const TraceModel& model) {
  const bool is_unix =
      model.origin_ns >= kFirstUnixNs && model.origin_ns < kLastUnixNs;
  return is_unix ? model.origin_ns : 0;
}

}  // namespace dltap::analyzer
