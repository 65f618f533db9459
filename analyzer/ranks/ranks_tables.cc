// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/ranks_tables.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "analyzer/ranks/rank_names.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostClasses = 12;
constexpr size_t kMostSizes = 16;
constexpr size_t kMostGroups = 12;

Cell RealCell(const Answer& of, size_t row, const char* column,
              int decimals = 2) {
  return KnownCell(of.Number(row, column), 1, decimals);
}

Cell ShareCell(const Answer& of, size_t row, const char* column) {
  return KnownCell(of.Number(row, column), kPercent, 1);
}

Cell WholeCell(const Answer& of, size_t row, const char* column) {
  const auto number = of.Whole(row, column);
  if (!number) return Unknown{};
  return *number;
}

Cell MaybeCell(std::optional<int64_t> number) {
  if (!number) return Blank{};
  return *number;
}

std::string NamedBy(const JudgedRank& rank) {
  std::string out = rank.is_late ? "late" : "";
  const auto add = [&out](const char* name) {
    absl::StrAppend(&out, out.empty() ? "" : ", ", name);
  };
  if (rank.is_straggler) add("stragglers");
  if (rank.has_cause()) add("cause");
  return out.empty() ? "nothing" : out;
}

std::string Bytes(std::optional<double> bytes) {
  if (!bytes) return "?";
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; *bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) {
    *bytes *= 0x1p-10;
  }
  return absl::StrCat(Fixed(*bytes, 0), " ", kUnits[unit]);
}

// "COPY D2D", as all reports print classes.
std::string ClassName(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return absl::AsciiStrToUpper(name);
}

std::string More(size_t all, size_t most, const char* what) {
  if (all <= most) return "";
  return absl::StrCat("(", all - most, " more ", what, ")");
}

}  // namespace

Table WorstTable(const RanksReport& report) {
  Table table;
  table.columns = {{{"", "rank"}, "rank"},
                   {{"", "host"}, "host", false, true},
                   {{"", "cause"}, "cause", false},
                   {{"since", "step"}, "since_step"},
                   {{"others wait", "ms/step"}, "blame_ms_per_step"},
                   {{"own excess", "ms/step"}, "ms_per_step", true, true},
                   {{"slower", "%"}, "slower_by", true, true},
                   {{"", "named by"}, "named_by", false, true}};
  for (size_t i = 0; i < report.judged.size() && i < kWorstRanks; ++i) {
    const JudgedRank& rank = report.judged[i];
    table.rows.push_back(
        {rank.rank, rank.host, rank.cause.empty() ? "?" : rank.cause,
         rank.is_named() ? MaybeCell(rank.since_step) : Cell(Blank{}),
         KnownCell(rank.blame_ms, 1, 2), KnownCell(rank.cause_ms, 1, 2),
         KnownCell(rank.slower_by, kPercent, 1), NamedBy(rank)});
  }
  return table;
}

Table LongestStepsTable(const Answer& steps) {
  Table table;
  table.columns = {
      {{"", "step"}, "step"},
      {{"median", "ms"}, "step_ms"},
      {{"longest", "ms"}, "longest_ms"},
      {{"compute", "ms"}, "compute_ms", true, true},
      {{"comm, exposed", "ms"}, "comm_exposed_ms"},
      {{"idle", "ms"}, "idle_ms", true, true},
      {{"slowest", "rank"}, "slowest_rank"},
      {{"its own part", "of median"}, "slowest_of_median", true, true}};
  for (size_t i = 0; i < steps.size(); ++i) {
    table.rows.push_back(
        {WholeCell(steps, i, "step"), RealCell(steps, i, "step_ms"),
         RealCell(steps, i, "longest_ms"), RealCell(steps, i, "compute_ms"),
         RealCell(steps, i, "comm_exposed_ms"), RealCell(steps, i, "idle_ms"),
         WholeCell(steps, i, "slowest_rank"),
         RealCell(steps, i, "slowest_of_median")});
  }
  return table;
}

CutTable ClassesTable(const Answer& classes) {
  CutTable out;
  out.table.columns = {{{"", "class"}, "class", false},
                       {{"", "direction"}, "direction", false},
                       {{"", "kernels"}, "kernels_per_step", true, true},
                       {{"mean", "ms"}, "mean_ms"},
                       {{"least", "ms"}, "least_ms", true, true},
                       {{"most", "ms"}, "most_ms"},
                       {{"most of", "median"}, "most_of_median", true, true},
                       {{"worst", "rank"}, "worst_rank"},
                       {{"kernel", "p99 us"}, "kernel_p99_us", true, true}};
  for (size_t i = 0; i < classes.size() && i < kMostClasses; ++i) {
    const std::string direction = classes.Word(i, "direction");
    out.table.rows.push_back({ClassName(classes.Word(i, "class")),
                              direction == "none" ? "" : direction,
                              RealCell(classes, i, "kernels_per_step", 1),
                              RealCell(classes, i, "mean_ms"),
                              RealCell(classes, i, "least_ms"),
                              RealCell(classes, i, "most_ms"),
                              RealCell(classes, i, "most_of_median"),
                              WholeCell(classes, i, "worst_rank"),
                              RealCell(classes, i, "kernel_p99_us", 1)});
  }
  out.note = More(classes.size(), kMostClasses, "classes");
  return out;
}

CutTable SizesTable(const Answer& sizes) {
  CutTable out;
  out.table.columns = {{{"", "kind"}, "kind", false},
                       {{"", "ranks"}, "members"},
                       {{"size", "from"}, "from_bytes"},
                       {{"", "count"}, "collectives", true, true},
                       {{"", "groups"}, "communicators", true, true},
                       {{"wait", "us"}, "mean_wait_us"},
                       {{"transfer", "us"}, "transfer_us"},
                       {{"waiting", "%"}, "wait_share", true, true},
                       {{"bus", "GB/s"}, "bus_gb_per_s"},
                       {{"of link", "%"}, "share_of_link", true, true}};
  for (size_t i = 0; i < sizes.size() && i < kMostSizes; ++i) {
    out.table.rows.push_back({sizes.Word(i, "kind"),
                              WholeCell(sizes, i, "members"),
                              Bytes(sizes.Number(i, "from_bytes")),
                              WholeCell(sizes, i, "collectives"),
                              WholeCell(sizes, i, "communicators"),
                              RealCell(sizes, i, "mean_wait_us", 1),
                              RealCell(sizes, i, "transfer_us", 1),
                              ShareCell(sizes, i, "wait_share"),
                              RealCell(sizes, i, "bus_gb_per_s", 1),
                              ShareCell(sizes, i, "share_of_link")});
  }
  out.note = More(sizes.size(), kMostSizes, "sizes");
  return out;
}

// Communicators of one shape are a row.
CutTable GroupsTable(const Answer& groups) {
  struct Shape {
    int64_t count = 0;
    int64_t first = 0;
    int64_t last = 0;
    Cell collectives;
  };
  std::map<std::tuple<std::string, int64_t, int64_t, int64_t>, Shape> shapes;
  for (size_t i = 0; i < groups.size(); ++i) {
    Shape& shape =
        shapes[{groups.Word(i, "purpose"), groups.Whole(i, "ranks").value_or(0),
                groups.Whole(i, "members").value_or(0),
                groups.Whole(i, "stride").value_or(0)}];
    if (shape.count++ > 0) continue;
    shape.first = groups.Whole(i, "first_rank").value_or(0);
    shape.last = groups.Whole(i, "last_rank").value_or(0);
    shape.collectives = WholeCell(groups, i, "collectives_per_rank");
  }
  CutTable out;
  out.table.columns = {
      {{"", "purpose"}, "purpose", false},
      {{"", "groups"}, "groups"},
      {{"", "ranks"}, "ranks"},
      {{"in the", "data"}, "members", true, true},
      {{"", "apart"}, "stride", true, true},
      {{"collectives", "a rank"}, "collectives_per_rank", true, true},
      {{"", "the first"}, "first", false}};
  for (const auto& [key, shape] : shapes) {
    const auto& [purpose, ranks, members, stride] = key;
    if (out.table.rows.size() == kMostGroups) break;
    out.table.rows.push_back(
        {purpose, shape.count, ranks, members,
         stride == 0 ? Cell(Unknown{}) : Cell(stride), shape.collectives,
         shape.first == shape.last
             ? absl::StrCat("rank ", shape.first)
             : absl::StrCat("ranks ", shape.first, " to ", shape.last)});
  }
  out.note = More(shapes.size(), kMostGroups, "shapes of groups");
  return out;
}

}  // namespace dltap::analyzer
