// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A loop over small networks of one input.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "one batched product for all networks of one form and input",
    .torch =
        "one batch of matrices for all networks of one form and input: "
        "torch.func.vmap over stacked weights, or torch.bmm"};

// What lies between the products backward, and the gradients' sums.
double BesideNs(const Facts& facts) {
  return facts.Step(facts.totals.all.gpu_ns) +
         facts.Step(facts.totals.in(DeviceState::kIdle));
}

}  // namespace

// What is computed once more keeps nothing, so that its layers' inputs take
// turns in memory.
void AdviseSharedExperts(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableWork& avoidable = facts.totals.avoidable;
  const AvoidableSums& work = avoidable.of(Avoidable::kSharedExperts);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  if (avoidable.of(Avoidable::kRecompute).ns > 0) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kGemm));
  SaveBeside(facts, BesideNs(facts), advice);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step, %.2f ms, are of networks that multiply one input "
      "with matrices of their own, one after the other",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kGemm;
  advice.claims.With(LayerClass::kGemm);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
