// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A softmax before a loss that takes the softmax itself.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.02;  // of the step

constexpr Wording kAct = {
    .any = "logits into the loss, which takes their softmax itself",
    .torch =
        "logits into F.cross_entropy, without a softmax before it (it "
        "also makes the gradients right)"};

}  // namespace

void AdviseDoubleSoftmax(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kDoubleSoftmax);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kSoftmax));
  advice.gain_high_ns += facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "a softmax goes straight into the softmax of a loss, and its gradient "
      "comes straight from there, %.2f ms a step",
      ns * 1e-6);
  advice.layer_class = LayerClass::kSoftmax;
  advice.claims.With(LayerClass::kSoftmax);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
