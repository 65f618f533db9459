// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Weights that are cast again in each pass of a step, though they change only
// at its end.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "cast the weights once a step",
    .torch =
        "one torch.autocast around all batches of a step (it keeps the "
        "casts), or bfloat16 weights",
    .tensorflow = "bfloat16 weights (keras dtype policy \"bfloat16\")",
    .jax = "cast the weights before the loop over batches",
    .mxnet = "net.cast(\"float16\") with multi_precision=True"};

}  // namespace

void AdviseCast(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kRepeatedCasts);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kLayout));
  // Other casts of these passes may be of weights too, such as biases; the gaps
  // before them would go as well.
  const auto layout = static_cast<size_t>(LayerClass::kLayout);
  const ClassSummary& casts = facts.totals.classes[layout];
  advice.gain_high_ns = facts.Step(casts.of(Direction::kForward)) +
                        facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f casts a step are of weights that the step has cast before, %.2f ms",
      facts.Step(work.count), ns * 1e-6);
  advice.layer_class = LayerClass::kLayout;
  advice.phase = Phase::kForward;
  advice.claims.With(LayerClass::kLayout);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
