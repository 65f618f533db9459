// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/loop_passes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/metrics/steps/token_spans.h"
#include "analyzer/metrics/steps/weight_places.h"

namespace dltap::analyzer {
namespace {

constexpr double kOfOtherLayers = 0.5;  // of the products may be the same
// Fewer take turns as two buffers of data may, but for weights that are named.
constexpr size_t kLeastLayers = 3;
constexpr size_t kLeastNamedLayers = 2;
constexpr size_t kLeastOfOther = 8;  // passes of one more loop
constexpr double kMostlyRead = 0.8;  // of the passes end with a result

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

// Whether any weights are copied in for each pass.
bool AreStreamed(const TraceModel& model, const Process& process,
                 const std::vector<CallToken>& tokens) {
  WeightPlaces places(model, process);
  return std::ranges::any_of(tokens, [&places](const CallToken& token) {
    return token.product && token.call.known() && places.IsStreamed(token.call);
  });
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

}  // namespace

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
  const bool are_named = AreWeightsNamed(model, process, tokens, alike.passes);
  if (same_weights.passes.empty()) {
    // Layers of the only pass.
    const bool of_one =
        are_named && !HaveOneProductAtMost(tokens, alike.passes);
    return of_one ? Loop() : alike;
  }
  const size_t found = same_weights.passes.size();
  Loop all = with_other_loops(std::move(same_weights));
  // What is read each time comes of a whole problem that was solved: where its
  // data lie is where there was room. Of a layer no result is read, but where a
  // model counts what it hands on, and it has several products then.
  // Of models that are copied in whole, one for each request, all are read.
  const bool are_read = AreRead(tokens, alike.passes);
  const size_t least = are_named ? kLeastNamedLayers : kLeastLayers;
  const bool are_layers =
      least * found <= alike.passes.size() &&
      !(are_read && (HaveOneProductAtMost(tokens, alike.passes) ||
                     AreStreamed(model, process, tokens)));
  // Each pass is a loop of its own, over one of several models.
  const bool are_models =
      kLeastLayers * alike.passes.size() <= all.passes.size() &&
      all.passes.size() >= kLeastOfOther && !are_read;
  if (are_layers || are_models) return all;
  if (found != alike.passes.size()) alike.other_count = found;
  return alike;
}

}  // namespace dltap::analyzer
