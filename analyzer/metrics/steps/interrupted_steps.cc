// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/interrupted_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/step_parts.h"

namespace dltap::analyzer {
namespace {

constexpr double kUsualShare = 0.6;  // of the passes forward are equal
constexpr double kMostSteps = 0.5;   // may be interrupted
constexpr double kOwnGradients = 2;  // times the usual: more than its batches'
constexpr double kLeastOfKind = 0.25;  // of the steps train one of the models

using Products = std::vector<uint32_t>;  // their signatures

struct PassesOfStep {
  std::vector<Products> forward;  // in front of each backward pass, in order
  size_t backward = 0;            // products, of all of them

  double BackwardPerPass() const {
    return static_cast<double>(backward) / static_cast<double>(forward.size());
  }
};

PassesOfStep PassesOf(const std::vector<CallToken>& tokens,
                      const TokenSpan& step) {
  PassesOfStep out;
  std::vector<Products>& passes = out.forward;
  Products now;
  for (size_t i = step.first; i < step.end; ++i) {
    const CallToken& token = tokens[i];
    if (token.product && token.forward) now.push_back(token.signature);
    if (token.product && token.backward) ++out.backward;
    if (!token.backward || now.empty()) continue;
    passes.push_back(std::move(now));
    now.clear();
  }
  return out;
}

bool EndsWithMore(const Products& pass, const Products& usual) {
  return pass.size() > usual.size() &&
         std::equal(usual.rbegin(), usual.rend(), pass.rbegin());
}

// Products backward for a pass, of the steps that hold nothing but usual
// passes. 0: there is none.
double UsualGradients(const std::vector<PassesOfStep>& steps,
                      const Products& usual) {
  std::vector<double> gradients;
  for (const PassesOfStep& step : steps) {
    const bool is_usual =
        !step.forward.empty() &&
        std::ranges::all_of(
            step.forward, [&](const Products& pass) { return pass == usual; });
    if (is_usual) gradients.push_back(step.BackwardPerPass());
  }
  return gradients.empty() ? 0 : Median(std::move(gradients));
}

// Whether all steps that train one of several models are among them.
bool AreOfOneModel(const std::vector<CallToken>& tokens,
                   const std::vector<TokenSpan>& steps,
                   const std::vector<size_t>& interrupted) {
  std::vector<TokenSpan> used;
  std::vector<bool> is_interrupted;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].use != StepUse::kUsed) continue;
    used.push_back(steps[i]);
    is_interrupted.push_back(std::ranges::binary_search(interrupted, i));
  }
  std::map<uint32_t, std::pair<size_t, size_t>> kinds;  // all, interrupted
  const std::vector<uint32_t> kind_of = KindsByGradients(tokens, used);
  for (size_t i = 0; i < kind_of.size(); ++i) {
    auto& [all, these] = kinds[kind_of[i]];
    ++all;
    these += is_interrupted[i] ? 1 : 0;
  }
  return std::ranges::any_of(kinds, [&](const auto& kind) {
    const auto& [all, these] = kind.second;
    return all < used.size() && these == all &&
           static_cast<double>(all) >=
               kLeastOfKind * static_cast<double>(used.size());
  });
}

}  // namespace

void MarkInterruptedSteps(const std::vector<CallToken>& tokens,
                          std::vector<TokenSpan>& steps) {
  std::map<Products, size_t> counts;
  std::vector<PassesOfStep> passes_of_steps;
  size_t all = 0;
  size_t used = 0;
  for (const TokenSpan& step : steps) {
    passes_of_steps.emplace_back();
    if (step.use != StepUse::kUsed) continue;
    ++used;
    passes_of_steps.back() = PassesOf(tokens, step);
    for (const Products& pass : passes_of_steps.back().forward) ++counts[pass];
    all += passes_of_steps.back().forward.size();
  }
  const auto usual = std::ranges::max_element(
      counts, {}, [](const auto& entry) { return entry.second; });
  if (usual == counts.end() || static_cast<double>(usual->second) <
                                   kUsualShare * static_cast<double>(all)) {
    return;
  }
  const double most_gradients =
      kOwnGradients * UsualGradients(passes_of_steps, usual->first);
  std::vector<size_t> interrupted;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::vector<Products>& passes = passes_of_steps[i].forward;
    if (passes.size() < 2 ||
        passes_of_steps[i].BackwardPerPass() > most_gradients) {
      continue;
    }
    const bool is_so = std::any_of(
        passes.begin() + 1, passes.end(),
        [&](const Products& p) { return EndsWithMore(p, usual->first); });
    if (is_so) interrupted.push_back(i);
  }
  if (static_cast<double>(interrupted.size()) >
          kMostSteps * static_cast<double>(used) ||
      AreOfOneModel(tokens, steps, interrupted)) {
    return;
  }
  for (const size_t i : interrupted) steps[i].use = StepUse::kInterrupted;
}

}  // namespace dltap::analyzer
