// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/loop_finder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "analyzer/metrics/loop_marks.h"

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

// The marks of the outermost loop and of those inside it that could be the
// steps, tried from the rarest call on.
Positions FindMarks(const LoopMarks& marks) {
  for (const double coverage : {kMostOfTheRun, kMuchOfTheRun}) {
    const Positions* steps = nullptr;
    size_t tries = 0;
    size_t of_count = 0;
    size_t count = 0;
    for (const Positions& candidate : marks.by_count()) {
      of_count = candidate.size() == count ? of_count + 1 : 0;
      count = candidate.size();
      if (count < kMinRepeats || of_count >= kTriesPerCount) continue;
      if (++tries > kMostTries) break;
      if (!marks.IsLoop(candidate, coverage)) continue;
      if (steps == nullptr || marks.Refines(*steps, candidate)) {
        steps = &candidate;
      }
    }
    if (steps != nullptr) return *steps;
  }
  return {};
}

size_t Computing(const std::vector<CallToken>& tokens, const TokenSpan& span) {
  return static_cast<size_t>(
      std::count_if(tokens.begin() + static_cast<ptrdiff_t>(span.first),
                    tokens.begin() + static_cast<ptrdiff_t>(span.end),
                    [](const CallToken& token) { return token.computes; }));
}

// The last pass has no successor to end it: it may have broken off, or other
// work may follow it.
void JudgeLast(const std::vector<CallToken>& tokens,
               std::vector<TokenSpan>& spans) {
  TokenSpan& last = spans.back();
  size_t shortest = tokens.size();
  size_t longest = 0;
  size_t longest_tokens = 0;
  for (size_t i = 0; i + 1 < spans.size(); ++i) {
    const size_t n = Computing(tokens, spans[i]);
    shortest = std::min(shortest, n);
    longest = std::max(longest, n);
    longest_tokens = std::max(longest_tokens, spans[i].end - spans[i].first);
  }
  const auto n = static_cast<double>(Computing(tokens, last));
  if (n > kLongLast * static_cast<double>(longest)) {
    last.end = std::min(last.end, last.first + longest_tokens);
  }
  if (n < kShortLast * static_cast<double>(shortest)) {
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

// Two passes and next to nothing of a third are no loop, unless what marks it
// ends the passes: then the first one lies before the first mark.
void MoveFromStub(const std::vector<CallToken>& tokens,
                  std::vector<TokenSpan>& spans) {
  const TokenSpan first = spans.front();
  const auto usual = static_cast<double>(Computing(tokens, first));
  const auto n = static_cast<double>(Computing(tokens, spans.back()));
  if (spans.size() > kMinRepeats || n >= kLeastOfLast * usual) return;
  spans.pop_back();
  if (BeginsBefore(tokens, first)) {
    const size_t length = std::min(first.first, first.end - first.first);
    spans.insert(spans.begin(), {first.first - length, first.first});
  }
}

}  // namespace

std::vector<TokenSpan> LoopSteps(const std::vector<CallToken>& tokens,
                                 AlikeIn alike_in) {
  const LoopMarks marks(tokens, alike_in);
  const Positions starts = marks.StartsOf(FindMarks(marks));
  if (starts.size() < kMinRepeats) return {};
  std::vector<TokenSpan> spans;
  for (size_t i = 0; i < starts.size(); ++i) {
    const bool last = i + 1 == starts.size();
    spans.push_back({starts[i], last ? tokens.size() : starts[i + 1]});
  }
  JudgeLast(tokens, spans);
  MoveFromStub(tokens, spans);
  if (spans.size() < kMinRepeats) return {};
  return spans;
}

}  // namespace dltap::analyzer
