// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// The loss of a large vocabulary on a copy of the logits in FP32.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any =
        "a loss that reads the logits as they are and computes in FP32 "
        "inside",
    .torch =
        "torch.compile around the loss, a fused linear cross entropy, or "
        "no .float() before F.cross_entropy (accuracy: compare first)"};

// The gradient of the chosen logits is written into zeros, in FP32, too.
double ZerosNs(const Facts& facts, const AvoidableSums& work) {
  return facts.Step(static_cast<double>(work.ns)) / 4;
}

}  // namespace

void AdviseWideLogits(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kWideLogits);
  const double ns = facts.Step(work.ns);
  const double casts_ns =
      facts.Step(static_cast<double>(work.ns) - work.worst_ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kSoftmax));
  advice.gain_high_ns += ZerosNs(facts, work);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f casts a step make the logits FP32 and their gradients narrow "
      "again, %.2f ms; the softmax between them moves twice the bytes, %.2f ms",
      advice.evidence.count, casts_ns * 1e-6, (ns - casts_ns) * 1e-6);
  advice.layer_class = LayerClass::kSoftmax;
  advice.claims.With(LayerClass::kSoftmax).With(LayerClass::kLayout);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
