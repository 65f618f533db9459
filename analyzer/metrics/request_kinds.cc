// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/request_kinds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "analyzer/metrics/step.h"

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
    if (!tokens[i].h2d || tokens[i].computes) continue;
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

// How many passes between `marks` are of each kind.
std::vector<size_t> PassesByKind(const std::vector<CallToken>& tokens,
                                 const Positions& marks) {
  std::vector<Kind> kinds;
  std::vector<size_t> passes;
  for (size_t m = 0; m + 1 < marks.size(); ++m) {
    Kind kind;
    for (size_t i = marks[m]; i < marks[m + 1]; ++i) {
      if (tokens[i].computes) ++kind[tokens[i].signature];
    }
    const auto like = std::ranges::find_if(
        kinds, [&](const Kind& other) { return AreAlike(kind, other); });
    if (like != kinds.end()) {
      ++passes[static_cast<size_t>(like - kinds.begin())];
    } else if (kinds.size() < kMostKinds) {
      kinds.push_back(std::move(kind));
      passes.push_back(1);
    }
  }
  return passes;
}

}  // namespace

double WeightOfCalls(uint32_t count) {
  return count == 0 ? 0 : 1 + kRepeatWeight * std::log2(count);
}

Positions RequestsOfKinds(const std::vector<CallToken>& tokens) {
  Positions requests = InputsBehindResults(tokens);
  if (requests.size() < kMinRepeats) return {};
  const std::vector<size_t> passes = PassesByKind(tokens, requests);
  const auto all = static_cast<double>(requests.size() - 1);
  size_t repeated = 0;
  for (const size_t n : passes) repeated += n > 1 ? n : 0;
  const bool one_kind =
      static_cast<double>(std::ranges::max(passes)) > kNearlyAll * all;
  return one_kind || static_cast<double>(repeated) < kNearlyAll * all
             ? Positions{}
             : requests;
}

}  // namespace dltap::analyzer
