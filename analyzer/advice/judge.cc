// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/judge.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/advice/trust_inputs.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastGain = 0.02;   // of the step
constexpr double kLeastSteps = 0.80;  // of the used ones
constexpr uint64_t kFewSteps = 3;     // fewer are no loop, unless marked
constexpr size_t kMostGiven = 3;

void SetShares(double step_ns, Advice& advice) {
  const auto share = [step_ns](double ns) {
    return step_ns > 0 ? ns / step_ns : 0;
  };
  advice.gain_share = share(advice.gain_ns);
  advice.gain_low_share = share(advice.gain_low_ns);
  advice.gain_high_share = share(advice.gain_high_ns);
}

// Sums over streams that run side by side are longer than the step.
void GainTheStepAtMost(double step_ns, Advice& advice) {
  if (advice.gain_high_ns <= step_ns) return;
  advice.gain_low_ns = std::min(advice.gain_low_ns, step_ns);
  advice.gain_high_ns = step_ns;
  advice.gain_ns = (advice.gain_low_ns + advice.gain_high_ns) / 2;
}

// What is left to gain beside `taken_ns` of the time that it claims.
void LeaveWhatIsTaken(double taken_ns, Advice& advice) {
  const double left_ns = std::max(0.0, advice.claimed_ns - taken_ns);
  advice.gain_ns = std::min(advice.gain_ns, left_ns);
  advice.gain_low_ns = std::min(advice.gain_low_ns, left_ns);
  advice.gain_high_ns = std::min(advice.gain_high_ns, left_ns);
  advice.more = true;
}

// A profile of one step is one of a loop, where the program says so.
bool TooFew(const Facts& facts) {
  return facts.steps < kFewSteps &&
         facts.figures.steps.found_by != StepsFoundBy::kMarker;
}

std::string TooLittle(const Advice& advice) {
  return absl::StrFormat(
      "it may gain as little as %.1f %% of the step; %.0f %% is worth a word",
      100 * advice.gain_low_share, 100 * kLeastGain);
}

// Why it is not given beside those that are; empty: it is.
std::string Place(const Facts& facts, Advice& advice, AdviceList& list) {
  double taken_ns = 0;
  std::string_view by;
  for (const Advice& given : list.given) {
    if (!given.claims.Meets(advice.claims)) continue;
    taken_ns += given.gain_ns;
    by = given.id;
  }
  if (taken_ns > 0) {
    LeaveWhatIsTaken(taken_ns, advice);
    SetShares(facts.step_ns, advice);
    if (advice.gain_low_share < kLeastGain) {
      return "it would save the same time as " + std::string(by);
    }
  }
  if (list.given.size() == kMostGiven) return "three others gain more";
  return "";
}

// What comes after another's advice moves behind it.
void Order(std::vector<Found>& found) {
  for (size_t i = found.size(); i-- > 0;) {
    const std::string_view after = found[i].advice.after;
    if (after.empty()) continue;
    const auto first = found.begin() + static_cast<ptrdiff_t>(i);
    const auto before =
        std::find_if(first + 1, found.end(), [&](const Found& one) {
          return one.advice.id == after && Objection(one).empty();
        });
    if (before != found.end()) std::rotate(first, first + 1, before + 1);
  }
}

}  // namespace

std::string Objection(const Found& found) {
  const Facts& facts = *found.facts;
  if (facts.steps == 0) return "no steps were found to judge by";
  if (TooFew(facts)) return "too few steps";
  std::string why = WhyNotTrusted(facts, found.rule->needs, found.advice);
  if (!why.empty()) return why;
  const uint64_t seen = found.advice.evidence.steps_seen;
  if (static_cast<double>(seen) <
      kLeastSteps * static_cast<double>(facts.steps)) {
    return absl::StrCat("seen in only ", seen, " of ", facts.steps, " steps");
  }
  Advice shared = found.advice;
  SetShares(facts.step_ns, shared);
  if (shared.gain_low_share < kLeastGain) return TooLittle(shared);
  return "";
}

AdviceList Judge(std::vector<Found> found) {
  AdviceList list;
  for (Found& one : found) {
    GainTheStepAtMost(one.facts->step_ns, one.advice);
    SetShares(one.facts->step_ns, one.advice);
    one.advice.evidence.steps = one.facts->steps;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) {
                     return a.advice.gain_low_share > b.advice.gain_low_share;
                   });
  Order(found);
  for (Found& one : found) {
    std::string reason = Objection(one);
    if (reason.empty()) reason = Place(*one.facts, one.advice, list);
    if (reason.empty()) {
      list.given.push_back(std::move(one.advice));
    } else {
      list.held_back.push_back({std::move(one.advice), std::move(reason)});
    }
  }
  return list;
}

}  // namespace dltap::analyzer
