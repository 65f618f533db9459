// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A loop over the experts of a layer.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any =
        "one grouped or batched product for all experts, of rows that are "
        "sorted by expert, if none reads what the one before it added",
    .torch =
        "sort the rows by expert once, then F.grouped_mm (or torch.bmm) "
        "for all experts in place of a loop, if none reads what the one before "
        "it added"};

// What lies between the products backward, and the gradients' sums.
double BesideNs(const Facts& facts) {
  return facts.Step(facts.totals.all.gpu_ns) +
         facts.Step(facts.totals.in(DeviceState::kIdle));
}

}  // namespace

void AdviseExpertLoop(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kExpertLoop);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kGemm));
  SaveBeside(facts, BesideNs(facts), advice);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step, %.2f ms, gather rows, multiply them with the "
      "matrices of one expert and add them to the others', expert after expert",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kGemm;
  advice.claims.With(LayerClass::kGemm);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
