// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Double precision, which nobody chooses to train in: one array of it turns
// all that it meets into it. What only moves numbers has no type in its name:
// at best it moves doubles, and takes half as long.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;  // of the step
constexpr double kMovedBest = 0.55;   // of the time of what moves doubles

constexpr Wording kAct = {
    .any = "FP32 instead of FP64",
    .torch = ".float() on the array (NumPy's default is float64) and the model",
    .tensorflow = "tf.cast(x, tf.float32) (NumPy's default is float64)",
    .jax = "jax_enable_x64=False, or dtype=jnp.float32",
    .mxnet = "dtype=\"float32\" (NumPy's default is float64)"};

// Of libraries' products the type is known.
double MaybeMovedNs(const Facts& facts, double fp64_ns) {
  double ns = facts.Step(facts.totals.all.gpu_ns) - fp64_ns;
  for (const LayerClass c : {LayerClass::kGemm, LayerClass::kConv,
                             LayerClass::kRnn, LayerClass::kAttention}) {
    const ClassSummary& sums = facts.totals.classes[static_cast<size_t>(c)];
    ns -=
        facts.Step(static_cast<double>(sums.gpu_ns) - sums.efficiency.fp64_ns);
  }
  return std::max(0.0, ns);
}

}  // namespace

void AdviseFp64(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kFp64);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare || facts.classes.empty()) return;
  const LayerClass most = facts.classes.front().layer_class;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, most));
  advice.gain_high_ns += kMovedBest * MaybeMovedNs(facts, ns);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step compute in double precision, %.2f ms",
      facts.Step(work.count), ns * 1e-6);
  advice.layer_class = most;
  for (const ClassRow& row : facts.classes) advice.claims.With(row.layer_class);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
