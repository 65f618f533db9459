// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/ranks_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/ranks/rank_map_text.h"
#include "analyzer/ranks/ranks_tables.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/units.h"
#include "analyzer/reports/wrap.h"

namespace dltap::analyzer {
namespace {

std::string Decimals(std::optional<double> number, int decimals) {
  return number ? Fixed(*number, decimals) : "?";
}

std::string Gib(std::optional<double> bytes) {
  constexpr double kGibPerByte = 0x1p-30;
  return bytes ? Fixed(*bytes * kGibPerByte, 1) : "?";
}

// Where the run is one of several, which.
std::string RunText(const RanksReport& report) {
  std::string text = absl::StrCat("run ", report.run);
  if (report.runs.size() < 2) return text;
  return absl::StrCat(text, report.run_row == 0 ? " (the newest of " : " (of ",
                      report.runs.size(), "; --run NAME chooses)");
}

std::string HeadText(const RanksReport& report) {
  const Answer& runs = report.runs;
  const size_t row = report.run_row;
  if (runs.empty()) return Wrap(RunText(report) + " · no ranks", "  ");
  const auto whole = [&](const char* column) {
    return static_cast<uint64_t>(runs.Whole(row, column).value_or(0));
  };
  std::vector<std::string> parts = {RunText(report),
                                    Count(whole("ranks"), "rank")};
  if (whole("hosts") > 0) parts.push_back(Count(whole("hosts"), "host"));
  std::string model = runs.Word(row, "model");
  if (model.empty()) model = "unknown GPU";
  if (whole("models") > 1) {
    model = Count(whole("models"), "GPU model") + ", as " + model;
  }
  if (runs.Flag(row, "simulated")) model += " (simulated)";
  parts.push_back(model);
  if (runs.Word(row, "format") != "dltap") {
    parts.push_back("imported from " + runs.Word(row, "format"));
  }
  const std::string command = runs.Word(row, "command");
  parts.push_back(command.empty() ? runs.Word(row, "program") : command);
  if (parts.back().empty()) parts.pop_back();
  return Wrap(Printable(Join(parts, " · ")), "  ");
}

std::string Sentences(const RanksReport& report) {
  std::string out;
  for (const std::string& warning : report.warnings) {
    out += Wrap(Printable("! " + warning), "  ");
  }
  if (!out.empty()) out += "\n";
  for (const std::string& sentence : report.verdict) {
    out += Wrap(Printable(sentence), "  ");
  }
  return out;
}

std::string StepLines(const Answer& of) {
  if (!of.Whole(0, "steps")) return "";
  const auto ms = [&of](const char* column) {
    return Decimals(of.Number(0, column), 2);
  };
  std::string out =
      Wrap(absl::StrCat(
               "step ", ms("mean_ms"), " ms, mean of medians over ranks · p50 ",
               ms("p50_ms"), " · p99 ", ms("p99_ms"), " · spread ",
               PercentText(of.Number(0, "spread")), " · ", ms("least_ms"),
               " to ", ms("longest_ms"), " in step ",
               of.Whole(0, "longest_step").value_or(0), " · ",
               Count(static_cast<uint64_t>(of.Whole(0, "steps").value_or(0)),
                     "step")),
           "  ");
  out += Wrap(absl::StrCat("  compute ", ms("compute_ms"),
                           " · communication, "
                           "exposed ",
                           ms("comm_exposed_ms"), " · copies, exposed ",
                           ms("copy_exposed_ms"), " · idle ", ms("idle_ms"),
                           " · longest own part: "
                           "rank ",
                           of.Whole(0, "slowest_rank").value_or(0), ", ",
                           Decimals(of.Number(0, "slowest_of_median"), 2),
                           " of the median"),
              "    ");
  if (of.Number(0, "comm_ms")) {
    out += Wrap(
        absl::StrCat(
            "  communication ", ms("comm_ms"), " ms a step: waiting ",
            ms("wait_ms"), " · transfer ", ms("transfer_ms"), " · exposed ",
            PercentText(of.Number(0, "exposed_share_of_comm")), " of it, ",
            PercentText(of.Number(0, "exposed_share_of_step")), " of the step"),
        "    ");
  }
  return out;
}

std::string MemoryLine(const Answer& of) {
  const auto known = of.Whole(0, "ranks_with_memory");
  if (!known || *known == 0) return "";
  return Wrap(absl::StrCat(
                  "  memory, at most: ", Gib(of.Number(0, "most_memory_bytes")),
                  " GiB on rank ", of.Whole(0, "fullest_rank").value_or(0),
                  ", median ", Gib(of.Number(0, "median_memory_bytes")), " of ",
                  Gib(of.Number(0, "least_device_bytes")), " · known of ",
                  Count(static_cast<uint64_t>(*known), "rank")),
              "    ");
}

std::string Titled(const std::string& title, const Table& table,
                   const std::string& note = "") {
  if (table.rows.empty()) return "";
  return "\n" + title + "\n" + RenderText(table) +
         (note.empty() ? "" : note + "\n");
}

}  // namespace

std::string RanksText(const RanksReport& report) {
  std::string out = HeadText(report) + "\n" + Sentences(report) + "\n";
  out += StepLines(report.of("overview")) + MemoryLine(report.of("overview"));
  const std::string map = RankMapText(report);
  if (!map.empty()) out += "\n" + map;
  out += Titled("the worst ranks", WorstTable(report));
  out += Titled("the longest steps", LongestStepsTable(report.of("steps")));
  const CutTable classes = ClassesTable(report.of("classes"));
  out += Titled("classes over ranks, a step", classes.table, classes.note);
  const CutTable sizes = SizesTable(report.of("sizes"));
  out += Titled("collectives", sizes.table, sizes.note);
  const CutTable groups = GroupsTable(report.of("groups"));
  out += Titled("groups of ranks", groups.table, groups.note);
  return out;
}

}  // namespace dltap::analyzer
