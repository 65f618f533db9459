// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Sorts of which only a few numbers are used.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "a selection of the largest in place of a sort of all",
    .torch = "torch.topk (one rank: torch.kthvalue) in place of a sort of all"};

}  // namespace

void AdviseSortedTops(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kSortedTops);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice =
      SavingOf(facts, work, WaitedFor(facts, LayerClass::kReduction));
  // Backward, a gradient of all is filled for a few.
  advice.gain_high_ns += PassesNs(facts, {{LayerClass::kElementwise}}) +
                         facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f sorts a step, %.2f ms with their copies; what follows has work for "
      "an eighth of the numbers at most",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kReduction;
  advice.claims.With(LayerClass::kReduction);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
