// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/warm_up.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "analyzer/metrics/base/median.h"

namespace dltap::analyzer {
namespace {

constexpr double kWarmUpFactor = 1.5;  // times the median duration
// The most that warm-up may be.
constexpr size_t kWarmUpSteps = 3;
constexpr double kWarmUpOfLong = 0.1;   // of all steps, where that is more
constexpr double kWarmUpOfShort = 0.5;  // of all steps, where that is less
constexpr size_t kWarmUpNeighbours = 16;

int64_t MedianDuration(const std::vector<Step*>& steps) {
  std::vector<int64_t> durations;
  durations.reserve(steps.size());
  for (const Step* step : steps) {
    durations.push_back(step->end_ns - step->begin_ns);
  }
  return Median(std::move(durations));
}

// The first steps allocate, compile and load modules: slow ones in a row from
// the start are warm-up. The very first always is, when enough others remain.
void MarkSlowStart(std::vector<Step>& steps) {
  std::vector<Step*> used;
  for (Step& step : steps) {
    if (step.use == StepUse::kUsed) used.push_back(&step);
  }
  if (used.size() < 2) return;
  const bool after_trials = steps.front().use == StepUse::kAutotune;
  // More slow ones are slow for a reason of their own.
  const auto n = static_cast<double>(used.size());
  const size_t most =
      std::min(static_cast<size_t>(kWarmUpOfShort * n),
               std::max(kWarmUpSteps, static_cast<size_t>(kWarmUpOfLong * n)));
  // A quicker loop may follow: what is as slow as the steps behind it is usual.
  const size_t next = std::max<size_t>(most, 1);
  const size_t end = std::min(used.size(), next + kWarmUpNeighbours);
  const auto usual = static_cast<double>(
      std::max(MedianDuration({used.begin() + 1, used.end()}),
               MedianDuration({used.begin() + static_cast<ptrdiff_t>(next),
                               used.begin() + static_cast<ptrdiff_t>(end)})));
  for (size_t i = 0; i < most; ++i) {
    const auto duration =
        static_cast<double>(used[i]->end_ns - used[i]->begin_ns);
    const bool slow = duration > kWarmUpFactor * usual;
    const bool first = i == 0 && used.size() >= kMinRepeats && !after_trials;
    if (!slow && !first) return;
    used[i]->use = StepUse::kWarmUp;
  }
}

// What passes forward and the sums before them are compiled in the first time
// lies in the step before.
void MarkSlowBeforePasses(std::vector<Step>& steps) {
  std::vector<Step*> used;
  for (Step& step : steps) {
    if (step.use == StepUse::kUsed) used.push_back(&step);
  }
  if (used.size() < kMinRepeats) return;
  const auto slow = kWarmUpFactor * static_cast<double>(MedianDuration(used));
  const auto passes =
      std::ranges::find(steps, StepUse::kEvaluation, &Step::use);
  if (passes == steps.begin() || passes == steps.end()) return;
  Step& before = *std::prev(passes);
  if (before.use == StepUse::kUsed &&
      static_cast<double>(before.end_ns - before.begin_ns) > slow) {
    before.use = StepUse::kWarmUp;
  }
}

}  // namespace

// The profiler's own schedule has left out the warm-up already.
void MarkWarmUp(Steps& steps) {
  if (steps.found_by != StepsFoundBy::kPeriod) return;
  MarkSlowStart(steps.steps);
  MarkSlowBeforePasses(steps.steps);
}

}  // namespace dltap::analyzer
