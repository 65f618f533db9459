// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/request_kinds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {
namespace {

constexpr double kRepeatWeight = 0.25;  // of twice as many calls, to the first
constexpr double kAlike = 0.7;          // of two requests in common
constexpr double kNearlyAll = 0.8;      // of the requests
constexpr size_t kMostKinds = 16;

bool IsResult(const CallToken& token) { return token.d2h && !token.computes; }

// The copies to the device that follow the reading of a result, and the last
// one before the first result.
Positions InputsBehindResults(const std::vector<CallToken>& tokens) {
  Positions inputs;
  bool any_result = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    any_result |= IsResult(tokens[i]);
    if (tokens[i].computes || !TakesNewInput(tokens, i)) continue;
    if (any_result && !IsResult(tokens[i - 1])) continue;
    if (any_result || inputs.empty()) {
      inputs.push_back(i);
    } else {
      inputs.back() = i;
    }
  }
  return inputs;
}

// What passes do, and how often.
using Kind = std::map<uint32_t, uint32_t>;

bool AreAlike(const Kind& a, const Kind& b) {
  double common = 0;
  double either = 0;
  for (const auto& [signature, count] : a) {
    const auto other = b.find(signature);
    const uint32_t n = other == b.end() ? 0 : other->second;
    common += WeightOfCalls(std::min(count, n));
    either += WeightOfCalls(std::max(count, n));
  }
  for (const auto& [signature, count] : b) {
    if (!a.contains(signature)) either += WeightOfCalls(count);
  }
  return common >= kAlike * either;
}

// The kind of each pass between `marks`, numbered as they first come;
// kMostKinds: of one more.
std::vector<size_t> KindsOf(const std::vector<CallToken>& tokens,
                            const Positions& marks) {
  std::vector<Kind> kinds;
  std::vector<size_t> of_passes;
  for (size_t m = 0; m + 1 < marks.size(); ++m) {
    Kind kind;
    for (size_t i = marks[m]; i < marks[m + 1]; ++i) {
      if (tokens[i].computes) ++kind[tokens[i].signature];
    }
    const auto like = std::ranges::find_if(
        kinds, [&](const Kind& other) { return AreAlike(kind, other); });
    of_passes.push_back(static_cast<size_t>(like - kinds.begin()));
    if (like == kinds.end() && kinds.size() < kMostKinds) {
      kinds.push_back(std::move(kind));
    }
  }
  return of_passes;
}

// How many kinds follow each other, each once, from the begin to the end; 1:
// none do.
size_t KindsByTurns(const std::vector<size_t>& kinds) {
  for (size_t turns = 2; kMinRepeats * turns <= kinds.size(); ++turns) {
    if (turns == kMostKinds) break;
    bool by_turns = true;
    for (size_t i = 0; i < kinds.size() && by_turns; ++i) {
      by_turns = kinds[i] == i % turns;
    }
    if (by_turns) return turns;
  }
  return 1;
}

// Each `step`-th of them, from the first on.
Positions EachOf(const Positions& all, size_t step) {
  Positions some;
  for (size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

}  // namespace

double WeightOfCalls(uint32_t count) {
  return count == 0 ? 0 : 1 + kRepeatWeight * std::log2(count);
}

bool TakesNewInput(const std::vector<CallToken>& tokens, size_t index) {
  const CallToken& token = tokens[index];
  if (!token.h2d || CopiesAValue(token)) return false;
  for (size_t i = index; i > 0 && !tokens[i - 1].computes; --i) {
    const CallToken& before = tokens[i - 1];
    if (before.d2h && before.d2h_bytes == token.h2d_bytes) {
      return token.h2d_bytes == 0;  // not known
    }
  }
  return true;
}

Requests RequestsOfKinds(const std::vector<CallToken>& tokens) {
  Positions inputs = InputsBehindResults(tokens);
  if (inputs.size() < kMinRepeats) return {};
  const std::vector<size_t> kinds = KindsOf(tokens, inputs);
  const size_t turns = KindsByTurns(kinds);
  if (turns > 1) return {EachOf(inputs, turns), true};
  std::vector<size_t> passes(kMostKinds + 1);
  for (const size_t kind : kinds) ++passes[kind];
  passes.pop_back();
  const auto all = static_cast<double>(kinds.size());
  size_t repeated = 0;
  for (const size_t n : passes) repeated += n > 1 ? n : 0;
  const bool one_kind =
      static_cast<double>(std::ranges::max(passes)) > kNearlyAll * all;
  if (one_kind || static_cast<double>(repeated) < kNearlyAll * all) return {};
  return {std::move(inputs)};
}

}  // namespace dltap::analyzer
