// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/step_finder.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "analyzer/metrics/call_signature.h"
#include "analyzer/metrics/period_finder.h"

namespace dltap::analyzer {
namespace {

constexpr double kSameSize = 0.1;      // of the median token count
constexpr double kWarmUpFactor = 1.5;  // times the median duration
constexpr double kWarmUpShare = 0.5;   // of all steps, at most

bool IsStepName(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {
      "ProfilerStep#", "step",       "Step",          "iteration",
      "Iteration",     "train_step", "training_step", "iter "};
  return std::any_of(
      std::begin(kPrefixes), std::end(kPrefixes),
      [name](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<Step> MarkedSteps(const TraceModel& model, const Process& process) {
  std::vector<Step> steps;
  for (const Range& range : process.ranges) {
    const bool named = range.kind == RangeKind::kNvtx ||
                       range.kind == RangeKind::kUserAnnotation;
    const bool marked = range.kind == RangeKind::kStep ||
                        (named && IsStepName(model.texts[range.name]));
    if (marked) steps.push_back({range.begin_ns, range.end_ns});
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return a.begin_ns < b.begin_ns;
  });
  // Nested markers ("step" inside "ProfilerStep#3") are one step.
  std::vector<Step> outermost;
  for (const Step& step : steps) {
    if (!outermost.empty() && step.begin_ns < outermost.back().end_ns) continue;
    outermost.push_back(step);
  }
  for (size_t i = 0; i + 1 < outermost.size(); ++i) {
    outermost[i].end_ns = outermost[i + 1].begin_ns;
  }
  return outermost;
}

struct PeriodicSteps {
  std::vector<Step> steps;
  std::vector<size_t> sizes;  // tokens in each step
};

PeriodicSteps RepeatedSteps(const std::vector<CallToken>& tokens) {
  PeriodicSteps found;
  const std::vector<size_t> starts = FindStepStarts(tokens);
  for (size_t i = 0; i < starts.size(); ++i) {
    const bool last = i + 1 == starts.size();
    const size_t end = last ? tokens.size() : starts[i + 1];
    found.steps.push_back({tokens[starts[i]].begin_ns,
                           last ? tokens.back().end_ns : tokens[end].begin_ns});
    found.sizes.push_back(end - starts[i]);
    const auto first = tokens.begin() + starts[i];
    if (std::any_of(first, tokens.begin() + end,
                    [](const CallToken& token) { return token.autotune; })) {
      found.steps.back().use = StepUse::kAutotune;
    }
  }
  return found;
}

double UsualSize(std::vector<size_t> sizes) {
  const auto middle = sizes.begin() + sizes.size() / 2;
  std::nth_element(sizes.begin(), middle, sizes.end());
  return static_cast<double>(*middle);
}

// A few calls after the last step, such as reading its loss, are no step.
void DropTail(PeriodicSteps& found) {
  const double usual = UsualSize(found.sizes);
  if (static_cast<double>(found.sizes.back()) >= kSameSize * usual) return;
  found.steps.pop_back();
  found.sizes.pop_back();
}

// Steps with clearly more or fewer calls than the usual do something else.
void MarkOddSizes(PeriodicSteps& found) {
  const double usual = UsualSize(found.sizes);
  for (size_t i = 0; i < found.steps.size(); ++i) {
    if (found.steps[i].use != StepUse::kUsed) continue;
    const double size = static_cast<double>(found.sizes[i]);
    if (size < (1 - kSameSize) * usual) {
      const bool last = i + 1 == found.steps.size();
      found.steps[i].use = last ? StepUse::kIncomplete : StepUse::kEvaluation;
    } else if (size > (1 + kSameSize) * usual) {
      found.steps[i].use = i == 0 ? StepUse::kWarmUp : StepUse::kEvaluation;
    }
  }
}

int64_t MedianDuration(const std::vector<Step>& steps) {
  std::vector<int64_t> durations;
  for (const Step& step : steps) {
    if (step.use == StepUse::kUsed) {
      durations.push_back(step.end_ns - step.begin_ns);
    }
  }
  if (durations.empty()) return 0;
  const auto middle = durations.begin() + durations.size() / 2;
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

// The first steps allocate, compile and load modules: slow ones in a row from
// the start are warm-up. The very first always is, when others remain.
void MarkWarmUp(std::vector<Step>& steps) {
  const double usual = static_cast<double>(MedianDuration(steps));
  const auto limit =
      std::max<size_t>(1, static_cast<size_t>(kWarmUpShare * steps.size()));
  if (steps.size() < kMinRepeats) return;
  for (size_t i = 0; i < limit; ++i) {
    Step& step = steps[i];
    const auto duration = static_cast<double>(step.end_ns - step.begin_ns);
    const bool slow = duration > kWarmUpFactor * usual;
    if (i > 0 && step.use == StepUse::kUsed && !slow) break;
    // An odd step among them makes optimizer state; it evaluates nothing.
    const bool odd = step.use == StepUse::kEvaluation;
    if (odd || step.use == StepUse::kUsed) step.use = StepUse::kWarmUp;
  }
}

}  // namespace

Steps FindSteps(const TraceModel& model, const Process& process,
                const ProcessAttribution& attribution) {
  Steps result;
  result.steps = MarkedSteps(model, process);
  if (result.steps.size() >= 2) {
    // The profiler's own schedule has left out the warm-up already.
    result.found_by = StepsFoundBy::kMarker;
    return result;
  }
  PeriodicSteps found = RepeatedSteps(CallTokens(process, attribution));
  result.steps.clear();
  if (found.steps.empty()) return result;
  DropTail(found);
  MarkOddSizes(found);
  MarkWarmUp(found.steps);
  result.steps = std::move(found.steps);
  result.found_by = StepsFoundBy::kPeriod;
  return result;
}

}  // namespace dltap::analyzer
