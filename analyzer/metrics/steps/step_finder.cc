// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/step_finder.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "analyzer/attribution/base/engine_threads.h"
#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/gradient_requests.h"
#include "analyzer/metrics/steps/join_parts.h"
#include "analyzer/metrics/steps/line_search_steps.h"
#include "analyzer/metrics/steps/loop_finder.h"
#include "analyzer/metrics/steps/marker_steps.h"
#include "analyzer/metrics/steps/module_runs.h"
#include "analyzer/metrics/steps/optimizer_steps.h"
#include "analyzer/metrics/steps/replicas.h"
#include "analyzer/metrics/steps/thread_loops.h"
#include "analyzer/metrics/steps/token_spans.h"
#include "analyzer/metrics/steps/training_steps.h"
#include "analyzer/metrics/steps/training_threads.h"
#include "analyzer/metrics/steps/weight_places.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostBackward = 50;  // calls for one product forward
constexpr int64_t kFromTheBegin = std::numeric_limits<int64_t>::min();
constexpr double kWarmUpFactor = 1.5;  // times the median duration
// The most that warm-up may be.
constexpr size_t kWarmUpSteps = 3;
constexpr double kWarmUpOfLong = 0.1;   // of all steps, where that is more
constexpr double kWarmUpOfShort = 0.5;  // of all steps, where that is less
constexpr size_t kWarmUpNeighbours = 16;

// Of the products of neighbouring passes.
constexpr double kUnlike = 0.6;
constexpr double kAlike = 0.7;

constexpr double kOfOtherLayers = 0.5;  // of the products may be the same
// Fewer take turns as two buffers of data may, but for weights that are named.
constexpr size_t kLeastLayers = 3;
constexpr size_t kLeastNamedLayers = 2;
constexpr size_t kLeastOfOther = 8;  // passes of one more loop
constexpr double kMostlyRead = 0.8;  // of the passes end with a result

std::vector<uint32_t> SortedProducts(const std::vector<CallToken>& tokens,
                                     const TokenSpan& span) {
  std::vector<uint32_t> products = ProductsOf(tokens, span);
  std::sort(products.begin(), products.end());
  return products;
}

// Whether passes that follow each other have few products in common.
bool AllHaveTheirOwn(const std::vector<CallToken>& tokens,
                     const std::vector<TokenSpan>& spans) {
  size_t all = 0;
  std::vector<uint32_t> in_common;
  std::vector<uint32_t> before;
  for (const TokenSpan& span : spans) {
    std::vector<uint32_t> now = SortedProducts(tokens, span);
    all += now.size();
    std::set_intersection(now.begin(), now.end(), before.begin(), before.end(),
                          std::back_inserter(in_common));
    before = std::move(now);
  }
  return static_cast<double>(in_common.size()) <
         kOfOtherLayers * static_cast<double>(all);
}

bool HaveOneProductAtMost(const std::vector<CallToken>& tokens,
                          const std::vector<TokenSpan>& spans) {
  return std::ranges::all_of(spans, [&](const TokenSpan& span) {
    return SortedProducts(tokens, span).size() <= 1;
  });
}

// Whether all products of all passes have the same second operand: their data.
// Then the first operand is what the passes compute, in buffers that take
// turns. A layer's products read what the layer itself has made, or the one
// before.
bool AreProductsOfSameData(const TraceModel& model, const Process& process,
                           const std::vector<CallToken>& tokens,
                           const std::vector<TokenSpan>& spans) {
  std::optional<uint64_t> data;
  for (const TokenSpan& span : spans) {
    for (size_t i = span.first; i < span.end; ++i) {
      const CallToken& token = tokens[i];
      if (!token.product || !token.call.known()) continue;
      const uint64_t at =
          OperandAddress(model, process, process.calls[token.call.value()],
                         Meaning::kPointerB);
      if (at == 0 || at != data.value_or(at)) return false;
      data = at;
    }
  }
  return true;
}

// Whether the library says what the weights of all products are.
bool AreWeightsNamed(const TraceModel& model, const Process& process,
                     const std::vector<CallToken>& tokens,
                     const std::vector<TokenSpan>& spans) {
  if (spans.empty()) return false;
  WeightPlaces places(model, process);
  return std::all_of(
      tokens.begin() + static_cast<ptrdiff_t>(spans.front().first),
      tokens.begin() + static_cast<ptrdiff_t>(spans.back().end),
      [&places](const CallToken& token) {
        return !token.product ||
               (token.call.known() && places.AreNamed(token.call));
      });
}

// Whether the host reads what comes of nearly each pass.
bool AreRead(const std::vector<CallToken>& tokens,
             const std::vector<TokenSpan>& spans) {
  const auto read = std::ranges::count_if(spans, [&](const TokenSpan& span) {
    return AnyOf(tokens, span, &CallToken::d2h);
  });
  return static_cast<double>(read) >=
         kMostlyRead * static_cast<double>(spans.size());
}

std::vector<TokenSpan> WithOtherLoops(const std::vector<CallToken>& tokens,
                                      const std::vector<TokenSpan>& spans);

// Loops among the tokens of `rest`: only that the weights come again tells them
// from layers.
std::vector<TokenSpan> OtherLoops(const std::vector<CallToken>& tokens,
                                  const TokenSpan& rest) {
  const auto begin = tokens.begin();
  const std::vector<CallToken> part(begin + static_cast<ptrdiff_t>(rest.first),
                                    begin + static_cast<ptrdiff_t>(rest.end));
  std::vector<TokenSpan> spans = LoopSteps(part, AlikeIn::kProducts).passes;
  if (spans.size() < kLeastOfOther || SortedProducts(part, spans[0]).empty()) {
    return {};
  }
  spans = WithOtherLoops(part, spans);
  for (TokenSpan& span : spans) {
    span.first += rest.first;
    span.end += rest.first;
  }
  return spans;
}

// Whether a pass holds the products of another one several times.
bool Repeats(const std::vector<CallToken>& tokens, const TokenSpan& pass,
             const TokenSpan& other) {
  const std::vector<uint32_t> all = SortedProducts(tokens, pass);
  const std::vector<uint32_t> once = SortedProducts(tokens, other);
  return std::ranges::all_of(once, [&](uint32_t product) {
    return std::ranges::equal_range(all, product).size() >=
           2 * std::ranges::equal_range(once, product).size();
  });
}

// Of tokens whose weights are told apart: also the loops over other models
// before and after the passes `spans`, as a benchmark has them. If these pass
// what each of `spans` repeats, they are one loop, told by its inner passes.
std::vector<TokenSpan> WithOtherLoops(const std::vector<CallToken>& tokens,
                                      const std::vector<TokenSpan>& spans) {
  std::vector<TokenSpan> all = OtherLoops(tokens, {0, spans.front().first});
  const std::vector<TokenSpan> after =
      OtherLoops(tokens, {spans.back().end, tokens.size()});
  const auto is_inner = [&](const TokenSpan& other) {
    return Repeats(tokens, spans.front(), other);
  };
  const bool repeat = std::ranges::any_of(all, is_inner) ||
                      std::ranges::any_of(after, is_inner);
  for (const TokenSpan& span : spans) {
    std::vector<TokenSpan> inner;
    if (repeat) inner = OtherLoops(tokens, span);
    if (inner.empty()) inner = {span};
    all.insert(all.end(), inner.begin(), inner.end());
  }
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

// The passes of a loop. Those that look alike but work on other weights are
// layers; the loop is where the same weights come again.
Loop PassesOfLoop(const TraceModel& model, const Process& process,
                  std::vector<CallToken> tokens) {
  Loop alike = LoopSteps(tokens);
  TellWeightsApart(model, process, tokens);
  const auto with_other_loops = [&tokens](Loop loop) {
    const size_t found = loop.passes.size();
    loop.passes = WithOtherLoops(tokens, loop.passes);
    if (loop.passes.size() != found) loop.other_count = 0;
    return loop;
  };
  if (!alike.passes.empty() &&
      (!AllHaveTheirOwn(tokens, alike.passes) ||
       AreProductsOfSameData(model, process, tokens, alike.passes))) {
    return with_other_loops(std::move(alike));
  }
  Loop same_weights = LoopSteps(tokens, AlikeIn::kProducts);
  if (same_weights.passes.empty()) return alike;
  const size_t found = same_weights.passes.size();
  Loop all = with_other_loops(std::move(same_weights));
  // What is read each time comes of a whole problem that was solved: where its
  // data lie is where there was room. Of a layer no result is read, but where a
  // model counts what it hands on, and it has several products then.
  const bool are_read = AreRead(tokens, alike.passes);
  const size_t least = AreWeightsNamed(model, process, tokens, alike.passes)
                           ? kLeastNamedLayers
                           : kLeastLayers;
  const bool are_layers =
      least * found <= alike.passes.size() &&
      !(are_read && HaveOneProductAtMost(tokens, alike.passes));
  // Each pass is a loop of its own, over one of several models.
  const bool are_models =
      kLeastLayers * alike.passes.size() <= all.passes.size() &&
      all.passes.size() >= kLeastOfOther && !are_read;
  if (are_layers || are_models) return all;
  if (found != alike.passes.size()) alike.other_count = found;
  return alike;
}

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

// The profiler's own schedule has left out the warm-up already.
void MarkWarmUp(Steps& steps) {
  if (steps.found_by != StepsFoundBy::kPeriod) return;
  MarkSlowStart(steps.steps);
  MarkSlowBeforePasses(steps.steps);
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
