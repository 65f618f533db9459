// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A penalty over all weights in the loss, tensor by tensor.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any =
        "the optimizer's weight decay in place of a penalty over the weights",
    .torch =
        "weight_decay of the optimizer in place of a penalty over the weights; "
        "for other sums over them torch._foreach_norm"};

constexpr std::array kClasses = {LayerClass::kElementwise,
                                 LayerClass::kReduction, LayerClass::kCopyD2d};

}  // namespace

void AdviseWeightPenalties(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kWeightPenalties);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, kClasses));
  // Its gradients are added to the others, one by one.
  SaveBeside(facts,
             PassesNs(facts, kClasses) +
                 facts.Step(facts.totals.in(DeviceState::kIdle)),
             advice);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step, %.2f ms, reduce tensors of many sizes to a number "
      "each, and add these up one by one",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kElementwise;
  for (const LayerClass c : kClasses) advice.claims.With(c);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
