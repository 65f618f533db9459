// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// One input multiplied with many small matrices, one after the other: heads of
// attention that are modules of their own.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any =
        "one product of an input with all matrices that it is multiplied "
        "with",
    .torch =
        "one nn.Linear for all heads, then .view(..., heads, channels), "
        "in place of one for each"};

// What lies between the products is as much in parts.
double BesideNs(const Facts& facts) {
  const double update_ns = facts.Step(facts.totals.all.of(Direction::kUpdate));
  return facts.Step(facts.totals.all.gpu_ns) - update_ns +
         facts.Step(facts.totals.in(DeviceState::kIdle));
}

}  // namespace

void AdviseSplitProducts(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kSplitProducts);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kGemm));
  SaveBeside(facts, BesideNs(facts), advice);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f products a step are of one input with matrices of one size, eight "
      "or more in a row, or their gradients, %.2f ms",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kGemm;
  advice.claims.With(LayerClass::kGemm);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
