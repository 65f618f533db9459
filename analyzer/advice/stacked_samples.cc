// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Samples that are augmented one by one on the GPU and joined to a batch.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "transform the whole batch at once, not sample by sample",
    .torch =
        "transform the whole batch at once (torchvision's and kornia's "
        "transforms take one), in place of each sample before torch.stack"};

}  // namespace

void AdviseStackedSamples(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kStackedSamples);
  const double ns = facts.Step(work.ns);
  const double idle_ns = facts.Step(facts.totals.in(DeviceState::kIdle));
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  constexpr std::array kClasses = {LayerClass::kElementwise,
                                   LayerClass::kLayout};
  Advice advice = SavingOf(facts, work, WaitedFor(facts, kClasses));
  advice.gain_high_ns = std::min(advice.gain_high_ns + idle_ns, facts.step_ns);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step, %.2f ms, work on parts of a batch, one part after "
      "the other, before a concatenation joins them and the first layer",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kElementwise;
  advice.claims.With(LayerClass::kElementwise).With(LayerClass::kLayout);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
