// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Layers that are not trained, but whose weights get gradients.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.03;  // of the step

constexpr Wording kAct = {
    .any = "no gradients of weights that are not trained",
    .torch =
        "requires_grad_(False) on layers that are not trained, and "
        "torch.no_grad() around those before the first trained one",
    .tensorflow =
        "layer.trainable = False before compile, or tape.watch of "
        "the trained variables alone",
    .jax = "jax.lax.stop_gradient, or jax.grad by the trained arguments alone",
    .mxnet = "grad_req=\"null\" on layers that are not trained"};

// At best the backward pass ends where the trained layers do.
double BackwardNs(const Facts& facts) {
  double ns = 0;
  for (const ClassSummary& sums : facts.totals.classes) {
    ns += facts.Step(sums.backward_ns());
  }
  return ns;
}

struct Layers {
  LayerClass most;  // of which most of the backward pass is
  const char* all;
};

Layers LayersOf(const Facts& facts) {
  const auto backward_ns = [&facts](LayerClass c) {
    return facts.totals.classes[static_cast<size_t>(c)].backward_ns();
  };
  const int64_t conv_ns = backward_ns(LayerClass::kConv);
  const int64_t gemm_ns = backward_ns(LayerClass::kGemm);
  return {conv_ns > gemm_ns ? LayerClass::kConv : LayerClass::kGemm,
          conv_ns == 0   ? "products"
          : gemm_ns == 0 ? "convolutions"
                         : "products and convolutions"};
}

}  // namespace

void AdviseUnusedGradients(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kUnusedGradients);
  const double ns = facts.Step(work.ns);
  const double least_ns =
      facts.Step(static_cast<double>(work.ns) - work.worst_ns);
  if (facts.ShareOfStep(least_ns) < kLeastShare) return;
  const Layers layers = LayersOf(facts);
  Advice advice = SavingOf(facts, work, WaitedFor(facts, layers.most));
  advice.gain_high_ns = std::max(advice.gain_high_ns, BackwardNs(facts)) +
                        facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f %s a step make gradients of weights, %.2f ms; the update is "
      "too short to have read those of %.2f ms",
      advice.evidence.count, layers.all, ns * 1e-6, least_ns * 1e-6);
  advice.phase = Phase::kBackward;
  advice.layer_class = layers.most;
  advice.claims.With(layers.most).With(LayerClass::kElementwise);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
