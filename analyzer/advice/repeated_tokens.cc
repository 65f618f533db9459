// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Decoding without a cache: each new token goes through all layers with all
// tokens before it.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;  // of the step

constexpr Wording kAct = {
    .any = "keep keys and values of the tokens before in a cache",
    .torch =
        "keep keys and values of the tokens before: use_cache=True "
        "(Transformers), or a cache of your own",
    .jax =
        "keep keys and values of the tokens before: init_cache, or a cache "
        "of your own"};

}  // namespace

void AdviseRepeatedTokens(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kRepeatedTokens);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kGemm));
  // What lies between the products has all tokens to work on, too.
  SaveBeside(facts, facts.Step(facts.totals.all.gpu_ns), advice);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f products a step, %.2f ms, have more rows with each token, as many "
      "more each time: they multiply those of the tokens before again",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kGemm;
  advice.claims.With(LayerClass::kGemm);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
