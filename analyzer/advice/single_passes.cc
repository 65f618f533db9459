// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Parts of one array that go through the layers one by one.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;     // of the step
constexpr double kSurelyLaunched = 0.4;  // of the idle time for launches

constexpr Wording kAct = {
    .any =
        "all parts through the layers at once, as one batch, if none waits "
        "for the one before",
    .torch =
        "model(batch) in place of a loop over its parts (x[i]), if none waits "
        "for the one before"};

}  // namespace

void AdviseSinglePasses(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kSinglePasses);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, Direction::kForward));
  // Backward it is the same, and between all of it the host.
  SaveBeside(facts, WorkAndIdleNs(facts), advice);
  const double passes = advice.evidence.count;
  if (!facts.figures.program.has_fixed_costs && passes > 1) {
    advice.gain_low_ns = std::min(
        advice.gain_low_ns + kSurelyLaunched * (1 - 1 / passes) *
                                 facts.Step(facts.Signs(Sign::kLaunchIdle).ns),
        advice.gain_high_ns);
  }
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f equal passes a step, %.2f ms, each over a part of an array, which "
      "lies right behind that of the pass before",
      advice.evidence.count, ns * 1e-6);
  advice.phase = Phase::kForward;
  advice.claimed_ns = facts.step_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
