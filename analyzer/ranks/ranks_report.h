// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_RANKS_REPORT_H_
#define DLTAP_ANALYZER_RANKS_RANKS_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/query/answer.h"
#include "analyzer/query/what_if_ranks.h"

namespace dltap::analyzer {

// Ranks by steps, as the question `heatmap` gives them.
struct RankMap {
  int64_t ranks_per_row = 1;
  int64_t steps_per_column = 1;
  Answer cells;
};

// What the three ways to find a straggler say of one rank.
struct JudgedRank {
  int64_t rank = 0;
  std::string host;
  std::string cause;                // of `cause`; "usual"
  std::optional<double> cause_ms;   // a step
  std::optional<double> blame_ms;   // a step, of `late`
  std::optional<double> step_ms;    // of the steps of the blame
  std::optional<double> slower_by;  // of `stragglers`, 0.3: 30 %
  std::optional<int64_t> since_step;
  std::optional<int64_t> until_step;  // recovered
  bool is_late = false;               // named by `late`
  bool is_straggler = false;          // named by `stragglers`
  bool is_alone = false;              // no other runs the same: not compared
  bool has_cause() const { return !cause.empty() && cause != "usual"; }
  bool is_named() const { return is_late || is_straggler || has_cause(); }
};

// All numbers are those of the named questions (analyzer/query): `answers` has
// them by the question's name.
struct RanksReport {
  std::string folder;
  std::string run;
  Answer runs;         // of all the data set, the newest first
  size_t run_row = 0;  // of `run`
  std::map<std::string, Answer> answers;
  RankMap map;
  std::vector<JudgedRank> judged;  // the worst first
  // Where somebody stands out, and the steps can be replayed.
  std::optional<WhatIfRanks> what_if = {};
  std::vector<std::string> warnings;  // what is missing, or not whole
  std::vector<std::string> verdict;   // sentences; the first is the main one

  const Answer& of(const std::string& question) const {
    return answers.at(question);
  }
};

inline constexpr size_t kWorstRanks = 5;

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_RANKS_REPORT_H_
