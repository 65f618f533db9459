// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/usual_work.h"

#include <algorithm>
#include <limits>

namespace dltap::analyzer {
namespace {

constexpr size_t kFewPeers = 3;  // fewer: each by all its steps

// Half of the ranks that are slow are slow: no mean with the others.
double LowerMedian(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

StepMarks MarksOf(const ReplayRank& rank, const ReplayStep& step) {
  StepMarks marks = {.own = {step.begin}, .parts = {}};
  auto taking = std::ranges::lower_bound(rank.takings, step.begin, {},
                                         &ReplayTaking::ready);
  for (; taking != rank.takings.end() && taking->ready < step.end; ++taking) {
    marks.own.push_back(taking->ready);
    marks.parts.insert(marks.parts.end(), taking->parts.begin(),
                       taking->parts.end());
    marks.parts.push_back(UINT32_MAX);  // between takings
  }
  marks.own.push_back(std::max(step.end, step.begin));
  return marks;
}

UsualWork::UsualWork(const ReplayJob& job) {
  for (const ReplayRank& rank : job.ranks) {
    for (const ReplayStep& step : rank.steps) Add(rank, step);
  }
  for (auto& [duty, done] : done_) Judge(done);
}

const std::vector<double>& UsualWork::Of(const ReplayRank& rank,
                                         const ReplayStep& step,
                                         const StepMarks& marks) const {
  const Done& done = done_.at({rank.role, marks.parts});
  return done.usual.empty() ? done.usual_of_all : done.usual.at(step.step);
}

bool UsualWork::IsAlone(const ReplayRank& rank, const StepMarks& marks) const {
  return done_.at({rank.role, marks.parts}).samples < 2;
}

// Of two ranks the faster says what is usual; of one it is what it does in half
// of its steps.
std::vector<double> UsualWork::UsualOfFew(const Done& done) {
  std::vector<double> usual;
  for (const auto& [rank, columns] : done.by_rank) {
    usual.resize(columns.size(), std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < columns.size(); ++i) {
      usual[i] = std::min(usual[i], LowerMedian(columns[i]));
    }
  }
  return usual;
}

void UsualWork::Add(const ReplayRank& rank, const ReplayStep& step) {
  const StepMarks marks = MarksOf(rank, step);
  Done& done = done_[{rank.role, marks.parts}];
  ++done.samples;
  for (Columns* const columns :
       {&done.by_step[step.step], &done.by_rank[&rank]}) {
    columns->resize(marks.own.size() - 1);
    for (size_t i = 1; i < marks.own.size(); ++i) {
      (*columns)[i - 1].push_back(marks.own[i] - marks.own[i - 1]);
    }
  }
}

void UsualWork::Judge(Done& done) {
  if (done.by_rank.size() < kFewPeers) {
    done.usual_of_all = UsualOfFew(done);
    return;
  }
  for (auto& [step, columns] : done.by_step) {
    for (std::vector<double>& lengths : columns) {
      done.usual[step].push_back(LowerMedian(std::move(lengths)));
    }
  }
}

}  // namespace dltap::analyzer
