// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A concatenation in each turn of a loop copies what all turns before made.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.03;  // of the step

constexpr Wording kAct = {
    .any =
        "one concatenation behind the loop, of a list of all parts; where a "
        "turn reads all so far, one array made before it, filled part by part",
    .torch =
        "append the parts to a list, and torch.cat(parts) once behind the "
        "loop; where a turn reads all so far, write into an array made before "
        "the loop and read array[:n]"};

}  // namespace

void AdviseGrownArrays(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kGrownArrays);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kLayout));
  advice.gain_high_ns += facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f concatenations a step, %.2f ms, each longer than the one before by "
      "as much: they copy what was joined before again",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kLayout;
  advice.claims.With(LayerClass::kLayout);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
