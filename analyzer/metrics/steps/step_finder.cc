// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/step_finder.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "analyzer/attribution/base/engine_threads.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/gradient_requests.h"
#include "analyzer/metrics/steps/join_parts.h"
#include "analyzer/metrics/steps/line_search_steps.h"
#include "analyzer/metrics/steps/loop_finder.h"
#include "analyzer/metrics/steps/loop_passes.h"
#include "analyzer/metrics/steps/marker_steps.h"
#include "analyzer/metrics/steps/module_runs.h"
#include "analyzer/metrics/steps/optimizer_steps.h"
#include "analyzer/metrics/steps/replicas.h"
#include "analyzer/metrics/steps/thread_loops.h"
#include "analyzer/metrics/steps/token_spans.h"
#include "analyzer/metrics/steps/training_steps.h"
#include "analyzer/metrics/steps/training_threads.h"
#include "analyzer/metrics/steps/warm_up.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostBackward = 50;  // calls for one product forward
constexpr int64_t kFromTheBegin = std::numeric_limits<int64_t>::min();

// Of the products of neighbouring passes.
constexpr double kUnlike = 0.6;
constexpr double kAlike = 0.7;

// Trials belong to the step before which or during which they ran.
bool HasTrials(const std::vector<CallToken>& tokens, const TokenSpan& span) {
  return AnyOf(tokens, span, &CallToken::trial);
}

// Steps with trials are left out, if others remain to be looked at.
void MarkTrials(const std::vector<CallToken>& tokens,
                std::vector<TokenSpan>& spans) {
  const auto is_used = [](const TokenSpan& span) {
    return span.use == StepUse::kUsed;
  };
  const auto used = std::count_if(spans.begin(), spans.end(), is_used);
  std::vector<TokenSpan*> with_trials;
  for (TokenSpan& span : spans) {
    if (is_used(span) && HasTrials(tokens, span)) with_trials.push_back(&span);
  }
  if (2 * static_cast<ptrdiff_t>(with_trials.size()) > used) return;
  for (TokenSpan* span : with_trials) span->use = StepUse::kAutotune;
}

// What the host reads behind the last step after a pause that is longer than a
// usual step is of none: the loop was left.
void LeaveLateReads(const std::vector<CallToken>& tokens,
                    std::vector<TokenSpan>& spans) {
  if (spans.size() < kMinRepeats) return;
  std::vector<int64_t> lengths;
  for (size_t i = 0; i + 1 < spans.size(); ++i) {
    lengths.push_back(tokens[spans[i + 1].first].begin_ns -
                      tokens[spans[i].first].begin_ns);
  }
  const int64_t usual = Median(std::move(lengths));
  TokenSpan& last = spans.back();
  for (size_t i = last.end - 1; i > last.first && !tokens[i].computes; --i) {
    if (tokens[i].begin_ns - tokens[i - 1].end_ns > usual) last.end = i;
  }
}

// A step ends where what the trace shows next begins, be it trials before the
// next step.
std::vector<Step> TimesOf(const std::vector<CallToken>& tokens,
                          const std::vector<TokenSpan>& spans) {
  std::vector<Step> steps;
  for (size_t i = 0; i < spans.size(); ++i) {
    const TokenSpan& span = spans[i];
    const bool followed = i + 1 < spans.size() &&
                          spans[i + 1].first == span.end &&
                          !tokens[span.end].trial;
    const int64_t end =
        followed ? tokens[span.end].begin_ns : tokens[span.end - 1].end_ns;
    steps.push_back({tokens[span.first].begin_ns, end, span.use, followed});
  }
  return steps;
}

// Whether the passes forward and backward can be told apart. Where next to no
// product is of the forward pass, as in TensorFlow's graphs, none was told.
bool Trains(const std::vector<CallToken>& tokens) {
  size_t forward = 0;
  size_t backward = 0;
  for (const CallToken& token : tokens) {
    forward += token.product && token.forward ? 1 : 0;
    backward += token.backward ? 1 : 0;
  }
  return backward > 0 && kMostBackward * forward >= backward;
}

bool GoesBackward(const std::vector<CallToken>& tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const CallToken& token) {
    return token.backward || token.update;
  });
}

// What neighbouring passes have in common of their products.
double ShareInCommon(const std::vector<CallToken>& tokens,
                     const std::vector<TokenSpan>& spans) {
  size_t all = 0;
  std::vector<uint32_t> in_common;
  std::vector<uint32_t> before;
  for (const TokenSpan& span : spans) {
    if (span.use != StepUse::kUsed) continue;
    std::vector<uint32_t> now = SortedProducts(tokens, span);
    if (!before.empty()) all += std::max(now.size(), before.size());
    std::set_intersection(now.begin(), now.end(), before.begin(), before.end(),
                          std::back_inserter(in_common));
    before = std::move(now);
  }
  return all == 0
             ? 1
             : static_cast<double>(in_common.size()) / static_cast<double>(all);
}

// Layers do not go forward, backward and into an update, each by itself.
bool AreIterations(const std::vector<CallToken>& tokens,
                   const std::vector<TokenSpan>& spans) {
  return std::ranges::all_of(spans, [&](const TokenSpan& span) {
    const auto begin = tokens.begin();
    return AnyOf(tokens, span, &CallToken::backward) &&
           AnyOf(tokens, span, &CallToken::update) &&
           std::any_of(begin + static_cast<ptrdiff_t>(span.first),
                       begin + static_cast<ptrdiff_t>(span.end),
                       [](const CallToken& token) {
                         return token.computes && !token.backward &&
                                !token.update;
                       });
  });
}

bool TellsUpdates(const std::vector<CallToken>& tokens) {
  return std::ranges::any_of(tokens, &CallToken::update);
}

// Whether nothing but gradients tells the iterations, and these are unlike each
// other: what runs a graph starts its work as its inputs come, gradients of one
// model before another's pass forward.
bool AreCutAtRandom(const std::vector<CallToken>& tokens,
                    const std::vector<TokenSpan>& spans) {
  return !TellsUpdates(tokens) && spans.size() >= kMinRepeats &&
         ShareInCommon(tokens, spans) < kUnlike;
}

// All but what else happened during the steps.
Steps FindByMarkersOrPeriod(const TraceModel& model, const Process& process,
                            const ProcessAttribution& attribution,
                            int64_t from_ns) {
  Steps result;
  result.steps = MarkedSteps(model, process, attribution, from_ns);
  if (!result.steps.empty()) {
    result.found_by = StepsFoundBy::kMarker;
    return result;
  }
  std::vector<CallToken> tokens =
      CallTokens(model, process, attribution, from_ns);
  TellModuleRuns(model, process, tokens);
  tokens = WithoutReplicas(process, std::move(tokens));
  result.threads_at_once = ThreadsThatTrain(process, tokens);
  if (result.threads_at_once.empty() && !GoesBackward(tokens)) {
    result.threads_at_once = LoopsOfThreads(model, process, tokens);
  }
  if (!result.threads_at_once.empty()) return result;
  tokens = WithoutActors(process, std::move(tokens));
  const Loop iterations = TrainingSteps(tokens);
  result.other_count = iterations.other_count;
  std::vector<TokenSpan> spans =
      JoinByOptimizer(model, process, tokens, iterations.passes);
  if (spans.empty()) spans = JoinLineSearches(tokens, iterations.passes);
  // What runs a graph tells no update: its gradients may all teach weights.
  if (spans.empty() && (!SpreadsOneLoop(process) || TellsUpdates(tokens))) {
    Loop requests = GradientRequests(tokens, iterations.passes);
    spans = std::move(requests.passes);
    if (!spans.empty()) result.other_count = requests.other_count;
  }
  if (spans.empty()) {
    spans = JoinParts(model, process, attribution, tokens, iterations.passes);
    if (result.other_count == 0) {
      result.other_count = PartsWithInput(tokens, iterations.passes, spans);
    }
  }
  if (AreCutAtRandom(tokens, spans)) {
    Loop loop = PassesOfLoop(model, process, tokens);
    if (loop.passes.size() >= kMinRepeats &&
        ShareInCommon(tokens, loop.passes) >= kAlike) {
      spans = std::move(loop.passes);
      result.other_count = loop.other_count;
    }
  }
  if (spans.empty()) {
    Loop loop = PassesOfLoop(model, process, tokens);
    // Too few iterations to be told apart: what repeats is their layers.
    if (!Trains(tokens) || AreIterations(tokens, loop.passes)) {
      spans = std::move(loop.passes);
      result.other_count = loop.other_count;
    }
  }
  if (spans.empty()) return result;
  LeaveLateReads(tokens, spans);
  MarkTrials(tokens, spans);
  result.steps = TimesOf(tokens, spans);
  result.found_by = StepsFoundBy::kPeriod;
  return result;
}

void MarkModuleLoads(const std::vector<int64_t>& loads,
                     std::vector<Step>& steps) {
  for (Step& step : steps) {
    const auto at = std::lower_bound(loads.begin(), loads.end(), step.begin_ns);
    step.loads_modules = at != loads.end() && *at < step.end_ns;
  }
}

}  // namespace

Steps FindSteps(const TraceModel& model, const Process& process,
                const ProcessAttribution& attribution) {
  Steps steps = FindIterations(model, process, attribution, kFromTheBegin);
  MarkWarmUp(steps);
  return steps;
}

std::vector<int64_t> ModuleLoads(const TraceModel& model,
                                 const Process& process) {
  std::vector<int64_t> ends;
  for (const Call& call : process.calls) {
    const auto* info = model.entry_points[call.entry.value()].info;
    if (info != nullptr && info->kind == specs::Kind::kModuleLoad) {
      ends.push_back(call.end_ns);
    }
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

Steps FindIterations(const TraceModel& model, const Process& process,
                     const ProcessAttribution& attribution, int64_t from_ns) {
  Steps result = FindByMarkersOrPeriod(model, process, attribution, from_ns);
  MarkModuleLoads(ModuleLoads(model, process), result.steps);
  return result;
}

}  // namespace dltap::analyzer
