// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/weight_parts.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "analyzer/attribution/calls/meaning_cache.h"
#include "analyzer/metrics/operands/cast_weights.h"
#include "analyzer/metrics/operands/made_sizes.h"
#include "analyzer/metrics/operands/operands.h"
#include "analyzer/metrics/steps/weight_places.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostParts = 8;
constexpr size_t kIterationsLookedAt = 256;
constexpr double kSame = 0.9;    // of the weights of two iterations
constexpr double kOthers = 0.1;  // of them may be the same all the same
constexpr double kPart = 0.75;   // of the weights of a larger model, at most
constexpr double kNearlyAll = 0.9;

using Weights = std::vector<uint64_t>;  // addresses, sorted

// Of products in passes of one direction.
Weights WeightsOf(WeightPlaces& places, const std::vector<CallToken>& tokens,
                  const TokenSpan& span, bool CallToken::*direction) {
  Weights weights;
  for (size_t i = span.first; i < span.end; ++i) {
    const CallToken& token = tokens[i];
    if (!token.product || !(token.*direction) || !token.call.known()) continue;
    const uint64_t at = places.Of(token.call);
    if (at != 0) weights.push_back(at);
  }
  std::sort(weights.begin(), weights.end());
  weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
  return weights;
}

// What takes the weights from one buffer to another is no optimizer's kernel:
// these update in place.
bool IsOfOptimizer(const std::vector<CallToken>& tokens,
                   const TokenSpan& span) {
  const auto begin = tokens.begin();
  return std::any_of(begin + static_cast<ptrdiff_t>(span.first),
                     begin + static_cast<ptrdiff_t>(span.end),
                     [](const CallToken& token) { return token.optimizer; });
}

size_t InCommon(const Weights& a, const Weights& b) {
  Weights common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::back_inserter(common));
  return common.size();
}

bool AreSame(const Weights& a, const Weights& b) {
  return static_cast<double>(InCommon(a, b)) >=
         kSame * static_cast<double>(std::max(a.size(), b.size()));
}

// Nearly none in common; or one trains a model through the other's: all of
// these are among its own (a generator, and what judges it). What only lies
// elsewhere each time, as results do, is of neither.
bool AreOthers(const Weights& a, const Weights& b) {
  const auto common = static_cast<double>(InCommon(a, b));
  const auto fewer = static_cast<double>(std::min(a.size(), b.size()));
  const auto more = static_cast<double>(std::max(a.size(), b.size()));
  return common <= kOthers * more ||
         (common >= kSame * fewer && fewer <= kPart * more);
}

// Whether nearly all iterations have those of the one `distance` later, or, if
// not `same`, others.
bool AreThose(const std::vector<Weights>& all, size_t distance, bool same) {
  size_t are = 0;
  const size_t n = all.size() - distance;
  for (size_t i = 0; i < n; ++i) {
    const Weights& a = all[i];
    const Weights& b = all[i + distance];
    are += (same ? AreSame(a, b) : AreOthers(a, b)) ? 1 : 0;
  }
  return static_cast<double>(are) >= kNearlyAll * static_cast<double>(n);
}

// Whether most weights of an iteration are what its own casts made: where that
// lies says nothing of the weights.
bool AreCasts(const TraceModel& model, const Process& process,
              const MadeTensors& made, const std::vector<CallToken>& tokens,
              const TokenSpan& span) {
  const auto is_made = [&](const Operand& operand, const CallToken& token) {
    auto cast = std::ranges::lower_bound(
        made.casts, tokens[span.first].begin_ns, {}, &MadeTensor::made_ns);
    for (; cast != made.casts.end() && cast->made_ns < token.begin_ns; ++cast) {
      if (cast->MayHave(operand.bytes)) return true;
    }
    return false;
  };
  MeaningCache meanings(model, process);
  size_t weights = 0;
  size_t casts = 0;
  for (size_t i = span.first; i < span.end; ++i) {
    const CallToken& token = tokens[i];
    if (!token.product || !token.forward || !token.call.known()) continue;
    const Call& call = process.calls[token.call.value()];
    const auto& meaning = meanings.Of(token.call);
    for (const Operand& operand :
         OperandsOf(model, process, call, meaning ? &*meaning : nullptr)) {
      if (operand.role != Meaning::kPointerA &&
          operand.use != OperandUse::kWeight) {
        continue;
      }
      ++weights;
      casts += operand.bits == kCastBits && is_made(operand, token) ? 1 : 0;
    }
  }
  return 2 * casts > weights;
}

bool AnyDeviceCasts(const TraceModel& model, const Process& process,
                    const ProcessAttribution& attribution,
                    const std::vector<CallToken>& tokens,
                    const TokenSpan& span) {
  for (size_t d = 0; d < process.devices.size(); ++d) {
    const MadeTensors made =
        FindMadeTensors(model, process, attribution, DeviceId(d));
    if (AreCasts(model, process, made, tokens, span)) return true;
  }
  return false;
}

// Those that are read backward, too: their products' inputs have gradients.
Weights ReadBackward(const Weights& weights, const Weights& backward) {
  Weights read;
  std::set_intersection(weights.begin(), weights.end(), backward.begin(),
                        backward.end(), std::back_inserter(read));
  return read;
}

struct Passes {
  std::vector<Weights> forward;  // of each iteration
  std::vector<Weights> backward;
};

Passes WeightsBothWays(const TraceModel& model, const Process& process,
                       const std::vector<CallToken>& tokens,
                       std::span<const TokenSpan> iterations) {
  WeightPlaces places(model, process);
  Passes weights;
  for (const TokenSpan& span : iterations) {
    weights.forward.push_back(
        WeightsOf(places, tokens, span, &CallToken::forward));
    weights.backward.push_back(
        ReadBackward(weights.forward.back(),
                     WeightsOf(places, tokens, span, &CallToken::backward)));
  }
  return weights;
}

bool AreKnown(const std::vector<Weights>& all) {
  return std::ranges::none_of(all, &Weights::empty);
}

// After how many iterations the same weights come again, with others between.
// 1: they do not.
size_t PeriodOf(const std::vector<Weights>& all) {
  for (size_t parts = 2;
       parts <= std::min(kMostParts, all.size() / kMinRepeats); ++parts) {
    if (!AreThose(all, parts - 1, false)) return 1;
    if (AreThose(all, parts, true)) return parts;
  }
  return 1;
}

}  // namespace

bool TrainOneModel(const TraceModel& model, const Process& process,
                   const std::vector<CallToken>& tokens,
                   const std::vector<TokenSpan>& iterations) {
  const size_t n = std::min(iterations.size(), kIterationsLookedAt);
  const Passes weights =
      WeightsBothWays(model, process, tokens, {iterations.data(), n});
  return n > 1 && AreKnown(weights.backward) &&
         AreThose(weights.forward, 1, true) &&
         AreThose(weights.backward, 1, true);
}

size_t PartsByWeights(const TraceModel& model, const Process& process,
                      const ProcessAttribution& attribution,
                      const std::vector<CallToken>& tokens,
                      const std::vector<TokenSpan>& iterations) {
  const size_t n = std::min(iterations.size(), kIterationsLookedAt);
  const std::span<const TokenSpan> first(iterations.data(), n);
  const auto of_optimizer = [&](const TokenSpan& span) {
    return IsOfOptimizer(tokens, span);
  };
  if (!std::ranges::all_of(first, of_optimizer)) return 1;
  Passes weights = WeightsBothWays(model, process, tokens, first);
  if (!AreKnown(weights.forward)) return 1;
  // Both models may go forward in each iteration, and one of them backward.
  const bool same_forward = n > 1 && AreThose(weights.forward, 1, true);
  if (same_forward && !AreKnown(weights.backward)) return 1;
  const size_t parts =
      PeriodOf(same_forward ? weights.backward : weights.forward);
  if (parts == 1) return 1;
  const bool casts =
      AnyDeviceCasts(model, process, attribution, tokens, iterations[n / 2]);
  return casts ? 1 : parts;
}

}  // namespace dltap::analyzer
