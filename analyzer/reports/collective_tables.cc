// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/collective_tables.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/reports/json_rows.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

Cell MsCell(std::optional<int64_t> ns) {
  if (!ns) return Unknown{};
  return Milliseconds(static_cast<double>(*ns));
}

Cell Share(std::optional<double> ratio) {
  return KnownCell(ratio, kPercent, 1);
}

Cell BytesOf(const CollectiveRow& row) {
  if (!row.key.bytes) return Unknown{};
  return *row.key.bytes;
}

std::string NameOf(const RankKey& key) {
  if (key.process.rank) return "rank " + std::to_string(*key.process.rank);
  return ProcessName(key.process) + " gpu" + std::to_string(key.device);
}

// "all_reduce f32".
std::string WhatOf(const CollectiveKey& key) {
  return (key.kind.empty() ? "?" : key.kind) +
         (key.dtype.empty() ? "" : " " + key.dtype);
}

Table RankTable(const Figures& figures) {
  Table table;
  table.columns = {{{"rank"}, "rank", false},
                   {{"communicator"}, "communicator", false},
                   {{"collectives"}, "collectives"},
                   {{"last"}, "last"},
                   {{"late by", "us"}, "mean_late_us"},
                   {{"waited", "ms"}, "waited_ms"},
                   {{"others", "waited ms"}, "others_waited_ms"}};
  for (const RankRow& row : figures.collectives.ranks) {
    Cell late = Blank{};
    if (row.mean_late_ns) late = Number{*row.mean_late_ns * kUsPerNs, 1};
    table.rows.push_back({NameOf(row.key), row.key.communicator,
                          static_cast<int64_t>(row.sums.collectives),
                          static_cast<int64_t>(row.sums.last), late,
                          MsCell(row.sums.waited_ns),
                          MsCell(row.sums.others_waited_ns)});
  }
  return table;
}

void WriteRow(const CollectiveRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Key("kind");
  row.key.kind.empty() ? json.Null() : json.Value(row.key.kind);
  json.Field("communicator", row.key.communicator);
  json.Key("dtype");
  row.key.dtype.empty() ? json.Null() : json.Value(row.key.dtype);
  json.Field("bytes", row.key.bytes);
  json.Field("count", row.sums.count);
  json.Field("gpu_ns", row.sums.gpu.all_ns());
  json.Field("mean_ns", row.mean_ns);
  json.Field("waiting_ns", row.waiting_ns);
  json.Field("transfer_ns", row.transfer_ns);
  json.Field("unknown_ns", row.sums.gpu.unknown_ns);
  json.Field("exposed_ns", row.sums.exposed_ns);
  json.Field("hidden_ns", row.hidden_ns);
  json.Field("algorithm_gb_per_s", row.algorithm_bandwidth);
  json.Field("bus_gb_per_s", row.bus_bandwidth);
  json.Field("is_lower_bound", row.is_lower_bound);
  json.Field("of_link_share", row.of_link);
  json.EndObject();
}

void WriteCommunicator(const CommunicatorRow& row, JsonWriter& json) {
  const int ranks = row.sums.ranks;
  json.BeginObject();
  json.Field("name", row.name);
  json.Field("ranks", ranks > 0 ? std::optional(ranks) : std::nullopt);
  json.Field("seen", row.sums.seen);
  json.Field("ambiguous", row.sums.ambiguous);
  json.EndObject();
}

void WriteRank(const RankRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("communicator", row.key.communicator);
  json.Field("rank", row.key.process.rank);
  json.Field("process", ProcessName(row.key.process));
  json.Field("device", row.key.device);
  json.Field("collectives", row.sums.collectives);
  json.Field("last", row.sums.last);
  json.Field("last_share", row.last_share);
  json.Field("late_ns", row.sums.late_ns);
  json.Field("mean_late_ns", row.mean_late_ns);
  json.Field("waited_ns", row.sums.waited_ns);
  json.Field("others_waited_ns", row.sums.others_waited_ns);
  json.EndObject();
}

// What the trace has not, of one communicator.
std::string NoteOf(const CommunicatorRow& row) {
  if (row.sums.ambiguous) {
    return row.name + ": which ranks meet could not be told; waiting unknown";
  }
  if (row.sums.ranks == 0) {
    return row.name + ": the number of its ranks is not in the trace";
  }
  if (row.sums.seen == static_cast<uint64_t>(row.sums.ranks)) return "";
  return row.name + ": the traces of the other ranks are missing; " +
         (row.sums.seen > 1 ? "waiting is known among these only"
                            : "waiting unknown");
}

}  // namespace

Table CollectiveTable(const Figures& figures, const ReportOptions& options) {
  Table table;
  table.columns = {{{"collective"}, "op", false},
                   {{"between"}, "communicator", false},
                   {{"bytes"}, "bytes"},
                   {{"count"}, "count"},
                   {{"GPU", "ms"}, "gpu_ms"},
                   {{"wait", "ms"}, "waiting_ms"},
                   {{"transfer", "ms"}, "transfer_ms"},
                   {{"exposed", "ms"}, "exposed_ms"},
                   {{"algbw", "GB/s"}, "algorithm_gb_per_s"},
                   {{"busbw", "GB/s"}, "bus_gb_per_s"},
                   {{"link", "%"}, "of_link_percent"}};
  const std::vector<CollectiveRow>& rows = figures.collectives.rows;
  for (size_t i = 0; i < std::min(rows.size(), options.top); ++i) {
    const CollectiveRow& row = rows[i];
    table.rows.push_back(
        {WhatOf(row.key), row.key.communicator, BytesOf(row),
         static_cast<int64_t>(row.sums.count), MsCell(row.sums.gpu.all_ns()),
         MsCell(row.waiting_ns), MsCell(row.transfer_ns),
         MsCell(row.sums.exposed_ns), KnownCell(row.algorithm_bandwidth, 1, 1),
         KnownCell(row.bus_bandwidth, 1, 1), Share(row.of_link)});
  }
  return table;
}

std::string CollectiveNotes(const Figures& figures) {
  const CollectiveFigures& collectives = figures.collectives;
  std::string text;
  const bool any_bound =
      std::any_of(collectives.rows.begin(), collectives.rows.end(),
                  [](const CollectiveRow& row) { return row.is_lower_bound; });
  if (any_bound) {
    text +=
        "where waiting is not known, bandwidths are over whole kernels: "
        "lower bounds\n";
  }
  for (const CommunicatorRow& row : collectives.communicators) {
    const std::string note = NoteOf(row);
    if (!note.empty()) text += note + "\n";
  }
  if (collectives.residual_ns) {
    text += "ends of one collective are " +
            Fixed(static_cast<double>(*collectives.residual_ns) * kUsPerNs, 1) +
            " us apart (median)\n";
  }
  if (!text.empty()) text += "\n";
  if (collectives.ranks.empty()) return text;
  return text + RenderText(RankTable(figures)) + "\n";
}

void WriteCollectives(const CollectiveFigures& figures, JsonWriter& json) {
  const auto write = [&json](std::string_view key, const auto& rows,
                             auto write_row) {
    json.Key(key);
    json.BeginArray();
    for (const auto& row : rows) write_row(row, json);
    json.EndArray();
  };
  json.Key("collectives");
  json.BeginObject();
  write("rows", figures.rows, WriteRow);
  write("communicators", figures.communicators, WriteCommunicator);
  write("ranks", figures.ranks, WriteRank);
  json.Field("residual_ns", figures.residual_ns);
  json.EndObject();
}

}  // namespace dltap::analyzer
