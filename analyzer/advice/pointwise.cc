// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Formulas, such as a norm's or a dropout's, that the framework evaluates
// operation by operation, each of which goes through memory.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.15;  // of the step

constexpr Wording kAct = {
    .any = "one fused function in place of each formula",
    .torch =
        "torch.compile, or torch.nn.functional's layer_norm, rms_norm, gelu, "
        "dropout in place of their formulas",
    .tensorflow = "tf.function(jit_compile=True) around the formulas"};

constexpr std::array kClasses = {
    LayerClass::kElementwise, LayerClass::kActivation, LayerClass::kReduction};

constexpr std::array kCasts = {LayerClass::kLayout};

}  // namespace

void AdvisePointwise(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kPointwise);
  const double ns = facts.Step(work.ns);
  const AvoidableSums& penalties =
      facts.totals.avoidable.of(Avoidable::kWeightPenalties);
  if (2 * penalties.ns > work.ns) return;  // no formulas
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, kClasses));
  // Short rows of such kernels may be parts of the formulas, too, and casts at
  // the ends of rows.
  advice.gain_high_ns =
      std::max(ns, PassesNs(facts, kClasses) + PassesNs(facts, kCasts)) -
      facts.Step(work.best_ns) +
      facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step are single operations in a row, %.2f ms; each "
      "writes to memory what the next one reads",
      facts.Step(work.count), ns * 1e-6);
  advice.layer_class = LayerClass::kElementwise;
  for (const LayerClass c : kClasses) advice.claims.With(c);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
