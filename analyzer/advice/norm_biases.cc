// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A bias before a norm of batches, which takes away each channel's mean.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.02;  // of the step

constexpr Wording kAct = {
    .any = "convolutions without bias before batch norms",
    .torch =
        "nn.Conv2d(..., bias=False) before nn.BatchNorm2d, which takes "
        "the bias away again with the mean"};

}  // namespace

void AdviseNormBiases(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kNormBiases);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  constexpr std::array kClasses = {LayerClass::kElementwise,
                                   LayerClass::kReduction};
  Advice advice = SavingOf(facts, work, WaitedFor(facts, kClasses));
  advice.gain_high_ns += facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step add biases to what convolutions made right before a "
      "batch norm, or sum up their gradients, %.2f ms",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kConv;
  advice.claims.With(LayerClass::kElementwise).With(LayerClass::kReduction);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
