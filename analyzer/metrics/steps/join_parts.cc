// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/join_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "analyzer/attribution/base/engine_threads.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/adaptations.h"
#include "analyzer/metrics/steps/kind_period.h"
#include "analyzer/metrics/steps/step_lengths.h"
#include "analyzer/metrics/steps/step_parts.h"
#include "analyzer/metrics/steps/token_spans.h"
#include "analyzer/metrics/steps/weight_parts.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastInFront = 8;  // steps that begin with equal passes

size_t CountProducts(const std::vector<CallToken>& tokens,
                     const TokenSpan& span) {
  return CountOf(tokens, span, &CallToken::product);
}

// Whether what follows the last step is its end: less than one of its parts,
// and its result is read. A graph may begin its parts in any order.
bool IsEndOf(const std::vector<CallToken>& tokens, const TokenSpan& step,
             const TokenSpan& rest) {
  return rest.use == StepUse::kIncomplete && rest.first == step.end &&
         step.use == StepUse::kUsed && tokens[rest.end - 1].d2h &&
         2 * CountProducts(tokens, rest) < CountProducts(tokens, step);
}

// The tokens whose updates tell iterations apart. A graph that runs what is
// ready works factors of an update out any time before it, maybe in the
// iteration before: there only an optimizer's own kernels tell.
std::vector<CallToken> WithToldUpdates(const Process& process,
                                       std::vector<CallToken> tokens) {
  if (!SpreadsOneLoop(process) || HasEngineThreads(process)) return tokens;
  for (CallToken& token : tokens) token.update &= token.optimizer;
  return tokens;
}

// How many of the iterations each step is made of; empty: each is a step.
std::vector<size_t> IterationsOfSteps(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution, const std::vector<CallToken>& all,
    const std::vector<TokenSpan>& iterations) {
  const std::vector<CallToken> tokens = WithToldUpdates(process, all);
  const bool in_order = !HasEngineThreads(process);
  const auto by_kinds = [&](size_t parts) {
    return LengthsByKinds(tokens, iterations, parts);
  };
  size_t parts = PartsPerStep(tokens, iterations, in_order);
  if (parts > 1 && TrainOneModel(model, process, tokens, iterations)) {
    parts = PartsPerStep(tokens, iterations, in_order, PartsDiffer::kInUpdates);
    if (parts == 1) return {};
  }
  if (parts > 1) {
    const std::vector<size_t> lengths = by_kinds(parts);
    if (!lengths.empty()) return lengths;
  } else {
    parts = PartsByWeights(model, process, attribution, tokens, iterations);
  }
  if (parts == 1) {
    parts = PeriodBesideExtras(KindsByGradients(tokens, iterations));
    const bool recur =
        parts > 1 && !TrainOneModel(model, process, tokens, iterations);
    return recur ? by_kinds(parts) : std::vector<size_t>();
  }
  return std::vector<size_t>((iterations.size() + parts - 1) / parts, parts);
}

// Nobody evaluates before each of many steps in a row: equal passes in front of
// them are what one of their parts begins with.
std::vector<TokenSpan> WithPassesInFront(const std::vector<CallToken>& tokens,
                                         const std::vector<TokenSpan>& steps) {
  // The products of the passes in front of the step at `i`; 0: none.
  const auto in_front = [&](size_t i) -> size_t {
    const bool passes = i + 1 < steps.size() &&
                        steps[i].use == StepUse::kEvaluation &&
                        steps[i + 1].use != StepUse::kEvaluation;
    return passes ? CountProducts(tokens, steps[i]) : 0;
  };
  std::vector<TokenSpan> joined;
  for (size_t i = 0; i < steps.size();) {
    const size_t first = i;
    const size_t products = in_front(first);
    while (products > 0 && in_front(i) == products) i += 2;
    const bool inside = i >= first + 2 * kLeastInFront;
    if (i == first) ++i;
    for (size_t k = first; k < i; ++k) {
      if (inside && (k - first) % 2 == 1) {
        joined.back() = {joined.back().first, steps[k].end, steps[k].use};
      } else {
        joined.push_back(steps[k]);
      }
    }
  }
  return joined;
}

// Whether all steps, but one where the run breaks off, have equally many parts.
bool AreEven(const std::vector<size_t>& lengths) {
  const size_t usual = Median(lengths);
  return usual > 1 &&
         static_cast<size_t>(std::ranges::count(lengths, usual)) + 1 >=
             lengths.size();
}

}  // namespace

std::vector<size_t> LengthsByKinds(const std::vector<CallToken>& tokens,
                                   const std::vector<TokenSpan>& iterations,
                                   size_t parts) {
  const std::vector<uint32_t> kinds = KindsOf(tokens, iterations);
  if (kinds.empty()) return {};
  std::vector<size_t> lengths = StepLengths(kinds, parts);
  if (AreEven(lengths)) return lengths;
  const std::vector<uint32_t> models = KindsOfModels(tokens, iterations);
  if (models.empty()) return lengths;
  std::vector<size_t> by_models = StepLengths(models, parts);
  return AreEven(by_models) ? by_models : lengths;
}

std::vector<TokenSpan> JoinParts(const TraceModel& model,
                                 const Process& process,
                                 const ProcessAttribution& attribution,
                                 const std::vector<CallToken>& tokens,
                                 const std::vector<TokenSpan>& spans) {
  std::vector<TokenSpan> iterations;
  for (const TokenSpan& span : spans) {
    if (span.use == StepUse::kUsed) iterations.push_back(span);
  }
  const std::vector<size_t> lengths =
      IterationsOfSteps(model, process, attribution, tokens, iterations);
  // All as one step would be no repetition.
  if (lengths.size() < 2) return spans;
  const std::vector<TokenSpan> steps = JoinedTo(lengths, tokens, spans);
  return WithoutAdaptations(tokens, iterations, steps);
}

uint64_t PartsWithInput(const std::vector<CallToken>& tokens,
                        const std::vector<TokenSpan>& parts,
                        const std::vector<TokenSpan>& steps) {
  if (steps.size() >= parts.size()) return 0;
  size_t all = 0;
  std::vector<size_t> in_each;  // of the whole ones
  for (const TokenSpan& step : steps) {
    if (step.use == StepUse::kEvaluation) continue;
    const auto inside =
        static_cast<size_t>(std::ranges::count_if(parts, [&](const auto& part) {
          return part.use == StepUse::kUsed && part.first >= step.first &&
                 part.end <= step.end && AnyOf(tokens, part, &CallToken::h2d);
        }));
    all += inside;
    if (step.use != StepUse::kIncomplete && step.use != StepUse::kInterrupted)
      in_each.push_back(inside);
  }
  if (in_each.empty() || in_each.back() < 2) return 0;
  const size_t usual = in_each.back();
  // The first input of all may be copied with the weights, before the steps.
  if (in_each.front() + 1 == usual) {
    ++in_each.front();
    ++all;
  }
  const bool alike =
      std::ranges::all_of(in_each, [usual](size_t n) { return n == usual; });
  if (!alike) return 0;
  const auto left_out = static_cast<size_t>(
      std::ranges::count(steps, StepUse::kEvaluation, &TokenSpan::use));
  return left_out + all;
}

std::vector<TokenSpan> JoinedTo(const std::vector<size_t>& lengths,
                                const std::vector<CallToken>& tokens,
                                const std::vector<TokenSpan>& spans) {
  std::vector<TokenSpan> steps;
  size_t step = 0;
  size_t open = 0;  // parts of the step that is being joined
  for (const TokenSpan& span : spans) {
    if (open == 0) {
      steps.push_back(span);
    } else {
      steps.back().end = span.end;  // also of what lies inside the step
    }
    if (span.use != StepUse::kUsed) continue;
    if (++open < lengths[step]) continue;
    open = 0;
    ++step;
  }
  if (open != 0) steps.back().use = StepUse::kIncomplete;
  const size_t n = steps.size();
  if (open == 0 && n > 1 && IsEndOf(tokens, steps[n - 2], steps[n - 1])) {
    steps[n - 2].end = steps[n - 1].end;
    steps.pop_back();
  }
  return WithPassesInFront(tokens, steps);
}

}  // namespace dltap::analyzer
