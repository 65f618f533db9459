// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/interrupted_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

namespace dltap::analyzer {
namespace {

constexpr double kUsualShare = 0.6;  // of the passes forward are equal
constexpr double kMostSteps = 0.5;   // may be interrupted

using Products = std::vector<uint32_t>;  // their signatures

// Those forward in front of each backward pass of a step, in order.
std::vector<Products> PassesOf(const std::vector<CallToken>& tokens,
                               const TokenSpan& step) {
  std::vector<Products> passes;
  Products now;
  for (size_t i = step.first; i < step.end; ++i) {
    const CallToken& token = tokens[i];
    if (token.product && token.forward) now.push_back(token.signature);
    if (!token.backward || now.empty()) continue;
    passes.push_back(std::move(now));
    now.clear();
  }
  return passes;
}

bool EndsWithMore(const Products& pass, const Products& usual) {
  return pass.size() > usual.size() &&
         std::equal(usual.rbegin(), usual.rend(), pass.rbegin());
}

}  // namespace

void MarkInterruptedSteps(const std::vector<CallToken>& tokens,
                          std::vector<TokenSpan>& steps) {
  std::map<Products, size_t> counts;
  std::vector<std::vector<Products>> passes_of_steps;
  size_t all = 0;
  size_t used = 0;
  for (const TokenSpan& step : steps) {
    passes_of_steps.emplace_back();
    if (step.use != StepUse::kUsed) continue;
    ++used;
    passes_of_steps.back() = PassesOf(tokens, step);
    for (const Products& pass : passes_of_steps.back()) ++counts[pass];
    all += passes_of_steps.back().size();
  }
  const auto usual = std::ranges::max_element(
      counts, {}, [](const auto& entry) { return entry.second; });
  if (usual == counts.end() || static_cast<double>(usual->second) <
                                   kUsualShare * static_cast<double>(all)) {
    return;
  }
  std::vector<TokenSpan*> interrupted;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::vector<Products>& passes = passes_of_steps[i];
    if (passes.size() < 2) continue;
    const bool is_so =
        std::any_of(passes.begin() + 1, passes.end(), [&](const Products& p) {
          return EndsWithMore(p, usual->first);
        });
    if (is_so) interrupted.push_back(&steps[i]);
  }
  if (static_cast<double>(interrupted.size()) >
      kMostSteps * static_cast<double>(used)) {
    return;
  }
  for (TokenSpan* step : interrupted) step->use = StepUse::kInterrupted;
}

}  // namespace dltap::analyzer
