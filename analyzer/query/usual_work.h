// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_USUAL_WORK_H_
#define DLTAP_ANALYZER_QUERY_USUAL_WORK_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/query/job_replay.h"

namespace dltap::analyzer {

// Where the own work of a step is compared: its begin, each taking that became
// ready in it, its end.
struct StepMarks {
  std::vector<double> own;  // rising
  // Ranks that take the same parts in the same order do the same.
  std::vector<uint32_t> parts;
};

StepMarks MarksOf(const ReplayRank& rank, const ReplayStep& step);

// Of ranks that do the same.
using Duty = std::pair<int64_t, std::vector<uint32_t>>;  // role, parts

// What ranks that do the same usually work between two marks.
class UsualWork {
 public:
  explicit UsualWork(const ReplayJob& job);

  // One less than there are marks.
  const std::vector<double>& Of(const ReplayRank& rank, const ReplayStep& step,
                                const StepMarks& marks) const;
  // Nobody else did the same, in any step.
  bool IsAlone(const ReplayRank& rank, const StepMarks& marks) const;

 private:
  using Columns = std::vector<std::vector<double>>;  // by mark
  struct Done {
    size_t samples = 0;
    std::map<int64_t, Columns> by_step;
    std::map<const ReplayRank*, Columns> by_rank;
    std::map<int64_t, std::vector<double>> usual;
    std::vector<double> usual_of_all;  // of few
  };

  static std::vector<double> UsualOfFew(const Done& done);
  void Add(const ReplayRank& rank, const ReplayStep& step);
  void Judge(Done& done);

  std::map<Duty, Done> done_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_USUAL_WORK_H_
