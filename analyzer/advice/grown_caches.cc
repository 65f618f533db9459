// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Decoding that copies all keys and values for each token, to append one.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "write new keys and values into a cache made once for all tokens",
    .torch =
        "a cache made once for all tokens (cache[:, :, t] = key; StaticCache "
        "in Transformers) in place of torch.cat for each",
    .tensorflow = "tf.tensor_scatter_nd_update into a cache of fixed length",
    .jax = "jax.lax.dynamic_update_slice into a donated cache"};

}  // namespace

void AdviseGrownCaches(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kGrownCaches);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kLayout));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step copy keys and values of the tokens before, %.2f ms",
      facts.Step(work.count), ns * 1e-6);
  advice.layer_class = LayerClass::kLayout;
  advice.claims.With(LayerClass::kLayout);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
