// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Attention of a product, a softmax and a product, which write the scores to
// memory and read them again: a fused kernel keeps them on the chip.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;  // of the step

constexpr Wording kAct = {
    .any = "one fused (flash) attention",
    .torch =
        "torch.nn.functional.scaled_dot_product_attention in FP16 or "
        "bfloat16 (not its math backend)",
    .jax = "jax.nn.dot_product_attention(..., implementation=\"cudnn\")"};

// What a loop over heads takes besides: gradients of slices, and copies.
double OfALoopNs(const Facts& facts) {
  const AvoidableSums& slices =
      facts.totals.avoidable.of(Avoidable::kSlicedGradients);
  if (slices.ns == 0) return 0;
  double ns = facts.Step(slices.ns);
  for (const LayerClass c : {LayerClass::kCopyD2d, LayerClass::kLayout}) {
    ns += facts.Step(facts.totals.classes[static_cast<size_t>(c)].gpu_ns);
  }
  return ns;
}

}  // namespace

void AdviseAttention(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kComposedAttention);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice =
      SavingOf(facts, work, WaitedFor(facts, LayerClass::kAttention));
  // One kernel is waited for where there were many.
  const auto attention = static_cast<size_t>(LayerClass::kAttention);
  for (const int64_t idle_ns : facts.totals.classes[attention].idle_ns) {
    advice.gain_high_ns += facts.Step(idle_ns);
  }
  advice.gain_high_ns += OfALoopNs(facts);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step (products, softmax, what lies between) write and "
      "read the scores, %.2f ms",
      facts.Step(work.count), ns * 1e-6);
  advice.layer_class = LayerClass::kAttention;
  advice.claims.With(LayerClass::kAttention).With(LayerClass::kLayout);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
