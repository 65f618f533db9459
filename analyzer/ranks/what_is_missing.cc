// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/what_is_missing.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "analyzer/ranks/rank_names.h"

namespace dltap::analyzer {
namespace {

using Lines = std::vector<std::string>;

// The ranks of which an answer says the same.
std::map<std::string, std::vector<int64_t>> RanksBy(const Answer& answer,
                                                    const char* column) {
  std::map<std::string, std::vector<int64_t>> out;
  for (size_t i = 0; i < answer.size(); ++i) {
    const auto rank = answer.Whole(i, "rank");
    if (rank) out[answer.Word(i, column)].push_back(*rank);
  }
  return out;
}

// What a finding of `ranks` means for the numbers.
std::string Meaning(const std::string& finding) {
  if (finding == "no steps") return "; they are in no number of steps";
  if (finding == "cut short") {
    return "; their last steps are missing, and others may wait for them";
  }
  if (finding == "events were lost") {
    return "; their times are too short, and their collectives may not match";
  }
  if (finding == "several processes") {
    return "; their processes are added up";
  }
  if (finding == "a step holds those of others") {
    return "; in it they only took part in the collectives of several steps of "
           "others, so it is not compared";
  }
  if (finding == "steps are numbered otherwise") {
    return "; they have the numbers of the ranks with which they meet in "
           "collectives";
  }
  if (finding == "steps are not those of others") {
    return "; those that hold the collectives of one step of others are one";
  }
  return "; they are compared in the steps that they have";
}

void AddRanks(const RanksReport& report, Lines& out) {
  const Answer& ranks = report.of("ranks");
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (ranks.Whole(i, "rank")) continue;
    out.push_back(absl::StrCat(
        ranks.Whole(i, "n").value_or(0), " of ",
        report.runs.Whole(report.run_row, "world_size").value_or(0),
        " ranks have no trace here: they are in no number, nor is who waits "
        "for them"));
  }
  for (const auto& [finding, names] : RanksBy(ranks, "finding")) {
    if (finding == "whole") continue;
    out.push_back(
        absl::StrCat(RankNames(names), ": ", finding, Meaning(finding)));
  }
}

void AddClocks(const RanksReport& report, Lines& out) {
  // Else there is nothing to align, which AddUnknown says.
  const Answer& overview = report.of("overview");
  if (!overview.Number(0, "transfer_ms")) return;
  for (const auto& [verdict, names] : RanksBy(report.of("clocks"), "verdict")) {
    if (!verdict.starts_with("refused")) continue;
    out.push_back(
        absl::StrCat("the clocks of ", RankNames(names), " are not aligned (",
                     verdict.substr(verdict.find(' ') + 1),
                     "): waits and late arrivals are not known of them"));
  }
}

// Counts of what `missing` found, but for whom others wait: the verdict's.
void AddFindings(const RanksReport& report, Lines& out) {
  const Answer& missing = report.of("missing");
  std::map<std::string, int> counts;
  for (size_t i = 0; i < missing.size(); ++i) {
    const std::string finding = missing.Word(i, "finding");
    const bool is_told =
        finding.starts_with("never came") || finding == "perhaps waited for";
    if (!is_told) ++counts[finding];
  }
  for (const auto& [finding, n] : counts) {
    out.push_back(absl::StrCat("collectives: ", finding, ", ", n,
                               n == 1 ? " time" : " times",
                               " (dltap query DATASET missing)"));
  }
}

void AddRun(const RanksReport& report, Lines& out) {
  const Answer& runs = report.runs;
  const size_t i = report.run_row;
  if (runs.Whole(i, "versions").value_or(1) > 1) {
    out.push_back(absl::StrCat(
        "ranks were packed by different versions of "
        "dltap: ",
        runs.Word(i, "first_version"), " to ", runs.Word(i, "last_version")));
  }
  if (runs.Whole(i, "formats").value_or(1) > 1) {
    out.push_back("the ranks' traces are of different tools");
  }
  const int64_t by_order = runs.Whole(i, "ranks_by_order").value_or(0);
  if (by_order > 0) {
    out.push_back(absl::StrCat("no rank is named in ", by_order,
                               by_order == 1 ? " trace" : " traces",
                               ": ranks are numbered as they were packed"));
  }
}

void AddUnknown(const RanksReport& report, Lines& out) {
  const Answer& overview = report.of("overview");
  if (overview.empty()) return;
  if (!overview.Whole(0, "steps")) {
    out.push_back("no steps were found: nothing is known of single steps");
  } else if (!overview.Number(0, "comm_ms")) {
    out.push_back(
        "no collectives: who waits for whom is not known, only who works "
        "longer, in steps of the same number");
  } else if (!overview.Number(0, "transfer_ms")) {
    out.push_back(
        "collectives cannot be matched over ranks: who waits for whom is not "
        "known, only who works longer, in steps of the same number");
  }
}

void AddUnaligned(const RanksReport& report, Lines& out) {
  const int64_t n =
      report.of("overview").Whole(0, "unaligned_collectives").value_or(0);
  if (n == 0) return;
  out.push_back(absl::StrCat(
      n,
      " collectives are not aligned, for in their communicators nothing ran "
      "but broadcasts, reductions to one rank, gathers and scatters, which "
      "ranks leave apart: who waits in them is not known"));
}

}  // namespace

std::vector<std::string> WhatIsMissing(const RanksReport& report,
                                       const std::vector<std::string>& first) {
  Lines out = first;
  AddRanks(report, out);
  AddRun(report, out);
  AddClocks(report, out);
  AddFindings(report, out);
  AddUnknown(report, out);
  AddUnaligned(report, out);
  return out;
}

}  // namespace dltap::analyzer
