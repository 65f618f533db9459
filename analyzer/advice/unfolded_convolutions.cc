// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Convolutions of one sample after the other, as products.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "convolutions of cuDNN, which take the whole batch at once",
    .torch =
        "torch.backends.cudnn.enabled = True, or, where it is, types and "
        "sizes that cuDNN's convolutions take"};

}  // namespace

void AdviseUnfoldedConvolutions(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kUnfoldedConvolutions);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kConv));
  advice.gain_high_ns += facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f products a step multiply the unfolded patches of one sample "
      "(im2col); with unfolding they take %.2f ms",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kConv;
  advice.claims.With(LayerClass::kConv).With(LayerClass::kGemm);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
