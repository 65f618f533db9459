// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/loop_finder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/loop_marks.h"
#include "analyzer/metrics/steps/token_spans.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostTries = 64;     // calls looked at, rarest first
constexpr size_t kTriesPerCount = 4;  // of those that occur equally often
constexpr double kMostOfTheRun = 0.5;
constexpr double kMuchOfTheRun = 0.25;
constexpr double kShortLast = 0.9;  // of the shortest other pass: it broke off
constexpr double kLeastOfLast = 0.1;  // less is no pass at all
constexpr double kAlikeBefore = 0.7;  // of the calls
constexpr double kLongLast = 1.1;     // of the longest: what follows the loop
constexpr double kNearlyAll = 0.8;    // of the passes
constexpr double kLongestEnd = 2;     // of the longest, where lengths vary

struct Found {
  Positions steps;         // their marks
  size_t other_count = 0;  // see Loop
};

// The marks of the outermost loop and of those inside it that could be the
// steps, tried from the rarest call on.
Found FindAmong(const LoopMarks& marks,
                const std::vector<Positions>& candidates, double coverage) {
  Found found;
  size_t tries = 0;
  size_t of_count = 0;
  size_t count = 0;
  for (const Positions& candidate : candidates) {
    of_count = candidate.size() == count ? of_count + 1 : 0;
    count = candidate.size();
    if (count < kMinRepeats || of_count >= kTriesPerCount) continue;
    if (++tries > kMostTries) break;
    if (!marks.IsLoop(candidate, coverage)) continue;
    const Nesting nesting = found.steps.empty()
                                ? Nesting{.inner_is_step = true}
                                : marks.NestingOf(found.steps, candidate);
    if (nesting.inner_is_step) {
      found = {candidate, nesting.may_be_other ? found.steps.size() : 0};
    } else if (nesting.may_be_other && found.other_count == 0) {
      found.other_count = candidate.size();
    }
  }
  return found;
}

// Requests of several kinds, where no loop holds all that they do.
Found OrRequests(const LoopMarks& marks, Found found) {
  const Positions& requests = marks.requests();
  if (requests.empty() ||
      (!found.steps.empty() && !marks.MarksSomeKinds(found.steps))) {
    return found;
  }
  const bool inside = found.steps.size() > requests.size();
  return {requests, inside ? found.steps.size() : 0};
}

// A pass that makes each of its calls more than once, as two equal layers do,
// may make one right behind a certain other one only once.
Found FindMarks(const LoopMarks& marks) {
  for (const double coverage : {kMostOfTheRun, kMuchOfTheRun}) {
    Found found =
        OrRequests(marks, FindAmong(marks, marks.by_count(), coverage));
    if (!found.steps.empty()) return found;
  }
  return FindAmong(marks, marks.PairsByCount(), kMostOfTheRun);
}

size_t Computing(const std::vector<CallToken>& tokens, const TokenSpan& span) {
  return CountOf(tokens, span, &CallToken::computes);
}

// Of all passes but the last, in computing calls and in tokens.
struct Sizes {
  size_t shortest = std::numeric_limits<size_t>::max();
  size_t longest = 0;
  size_t longest_tokens = 0;
  size_t usual_tokens = 0;  // the first pass may make calls of its own

  bool vary() const {
    return static_cast<double>(longest) >
           kLongLast * static_cast<double>(shortest);
  }
};

Sizes SizesOf(const std::vector<CallToken>& tokens,
              const std::vector<TokenSpan>& spans) {
  Sizes sizes;
  std::vector<size_t> all_tokens;
  for (size_t i = 0; i + 1 < spans.size(); ++i) {
    const size_t n = Computing(tokens, spans[i]);
    sizes.shortest = std::min(sizes.shortest, n);
    sizes.longest = std::max(sizes.longest, n);
    all_tokens.push_back(spans[i].end - spans[i].first);
  }
  sizes.longest_tokens = *std::ranges::max_element(all_tokens);
  sizes.usual_tokens = Median(std::move(all_tokens));
  return sizes;
}

// What the passes do.
absl::flat_hash_set<uint32_t> CallsOf(const std::vector<CallToken>& tokens,
                                      size_t first, size_t end) {
  absl::flat_hash_set<uint32_t> calls;
  for (size_t i = first; i < end; ++i) calls.insert(tokens[i].signature);
  return calls;
}

// Whether a last pass that is longer than all others is one all the same: no
// two are equally long, and it does what they do.
bool MayBeLonger(const std::vector<CallToken>& tokens,
                 const std::vector<TokenSpan>& spans, const Sizes& sizes) {
  if (!sizes.vary() || static_cast<double>(Computing(tokens, spans.back())) >
                           kLongestEnd * static_cast<double>(sizes.longest)) {
    return false;
  }
  const auto done = CallsOf(tokens, spans.front().first, spans.back().first);
  return std::all_of(
      tokens.begin() + static_cast<ptrdiff_t>(spans.back().first),
      tokens.begin() + static_cast<ptrdiff_t>(spans.back().end),
      [&](const CallToken& token) {
        return !token.computes || done.contains(token.signature);
      });
}

// The last pass has no successor to end it: it may have broken off, or other
// work may follow it.
void JudgeLast(const std::vector<CallToken>& tokens,
               std::vector<TokenSpan>& spans) {
  TokenSpan& last = spans.back();
  const Sizes sizes = SizesOf(tokens, spans);
  const auto n = static_cast<double>(Computing(tokens, last));
  if (n > kLongLast * static_cast<double>(sizes.longest) &&
      !MayBeLonger(tokens, spans, sizes)) {
    last.end =
        std::min(last.end, last.first + (sizes.vary() ? sizes.longest_tokens
                                                      : sizes.usual_tokens));
  }
  const TokenSpan& before = spans[spans.size() - 2];
  const bool has_result =
      tokens[before.end - 1].d2h && tokens[last.end - 1].d2h;
  if (n < kShortLast * static_cast<double>(sizes.shortest) && !has_result) {
    last.use = StepUse::kIncomplete;
  }
}

// Whether what lies before the first pass ends with a pass like that.
bool BeginsBefore(const std::vector<CallToken>& tokens,
                  const TokenSpan& first) {
  const size_t length = first.end - first.first;
  const size_t before = std::min(length, first.first);
  std::map<uint32_t, size_t> calls;
  for (size_t i = first.first; i < first.end; ++i) ++calls[tokens[i].signature];
  size_t alike = 0;
  for (size_t i = first.first - before; i < first.first; ++i) {
    size_t& left = calls[tokens[i].signature];
    alike += left > 0 ? 1 : 0;
    left -= left > 0 ? 1 : 0;
  }
  return static_cast<double>(alike) >=
         kAlikeBefore * static_cast<double>(length);
}

// Where the pass in front of the first one begins: as long before it, or, where
// lengths vary, as far as the same is done.
size_t BeginOfFirst(const std::vector<CallToken>& tokens,
                    const std::vector<TokenSpan>& spans) {
  const TokenSpan& first = spans.front();
  const size_t length = std::min(first.first, first.end - first.first);
  size_t begin = first.first - length;
  const Sizes sizes = SizesOf(tokens, spans);
  if (!sizes.vary()) return begin;
  const auto done = CallsOf(tokens, first.first, spans.back().end);
  const size_t most = static_cast<size_t>(
      kLongestEnd * static_cast<double>(sizes.longest_tokens));
  begin = first.first;
  while (begin > 0 && first.first - begin < most &&
         done.contains(tokens[begin - 1].signature)) {
    --begin;
  }
  return begin;
}

// A first pass may lack what marks the others: a first token has nothing to
// append to. What lies before them is one if it is as long, does nearly the
// same, and has nearly as many products.
void AddFirst(const std::vector<CallToken>& tokens,
              std::vector<TokenSpan>& spans) {
  const TokenSpan first = spans.front();
  const size_t length = first.end - first.first;
  if (spans.back().use == StepUse::kIncomplete || first.first < length ||
      !BeginsBefore(tokens, first)) {
    return;
  }
  const TokenSpan before{BeginOfFirst(tokens, spans), first.first};
  const auto products = [&tokens](const TokenSpan& span) {
    return static_cast<double>(CountOf(tokens, span, &CallToken::product));
  };
  const double usual = products(first);
  const double found = products(before);
  if (found > 0 && found * kLongLast >= usual && found <= usual * kLongLast) {
    spans.insert(spans.begin(), before);
  }
}

// What marks a loop may end its passes: then next to nothing follows the last
// mark, and the first pass lies before the first one. Two passes and no such
// third are no loop.
// True if the first pass was added.
bool MoveFromStub(const std::vector<CallToken>& tokens,
                  std::vector<TokenSpan>& spans) {
  const auto usual = static_cast<double>(Computing(tokens, spans.front()));
  const auto n = static_cast<double>(Computing(tokens, spans.back()));
  if (n >= kLeastOfLast * usual) return false;
  const TokenSpan stub = spans.back();
  const bool begins_before = BeginsBefore(tokens, spans.front());
  if (spans.size() > kMinRepeats && !begins_before) return false;
  spans.pop_back();
  if (!begins_before) return false;
  if (n == 0) spans.back().end = stub.end;
  spans.insert(spans.begin(),
               {BeginOfFirst(tokens, spans), spans.front().first});
  return true;
}

// Where nearly all passes hold products, those in front of the first one that
// does are none if they compute, but nothing of what such passes do, or all
// behind them hold products: they have marks, as numbers are copied while
// weights are made.
void BeginWithProducts(const std::vector<CallToken>& tokens,
                       std::vector<TokenSpan>& spans) {
  const auto holds = [&tokens](const TokenSpan& span) {
    return AnyOf(tokens, span, &CallToken::product);
  };
  const auto n = static_cast<double>(std::ranges::count_if(spans, holds));
  if (n < kNearlyAll * static_cast<double>(spans.size())) return;
  const auto first = std::ranges::find_if(spans, holds);
  const bool all = std::all_of(first, spans.end(), holds);
  const auto done = CallsOf(tokens, first->first, spans.back().end);
  bool computes = false;
  for (size_t i = spans.front().first; i < first->first; ++i) {
    if (!tokens[i].computes) continue;
    if (!all && done.contains(tokens[i].signature)) return;
    computes = true;
  }
  if (computes) spans.erase(spans.begin(), first);
}

// Reading a result ends a pass, it begins none.
void BehindResults(const std::vector<CallToken>& tokens, Positions& starts) {
  const auto is_result = [&](size_t i) {
    return tokens[i].d2h && !tokens[i].computes;
  };
  if (!std::all_of(starts.begin(), starts.end(), is_result)) return;
  for (size_t& start : starts) {
    while (start < tokens.size() && is_result(start)) ++start;
  }
}

}  // namespace

Loop LoopSteps(const std::vector<CallToken>& tokens, AlikeIn alike_in) {
  const LoopMarks marks(tokens, alike_in);
  const Found found = FindMarks(marks);
  Positions starts = marks.StartsOf(found.steps);
  if (starts.size() < kMinRepeats) return {};
  BehindResults(tokens, starts);
  std::vector<TokenSpan> spans;
  for (size_t i = 0; i < starts.size(); ++i) {
    const bool last = i + 1 == starts.size();
    spans.push_back({starts[i], last ? tokens.size() : starts[i + 1]});
  }
  BeginWithProducts(tokens, spans);
  if (spans.size() < kMinRepeats) return {};
  JudgeLast(tokens, spans);
  const bool moved = MoveFromStub(tokens, spans);
  if (spans.size() < kMinRepeats) return {};
  if (!moved) AddFirst(tokens, spans);
  return {std::move(spans), found.other_count};
}

}  // namespace dltap::analyzer
