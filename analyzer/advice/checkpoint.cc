// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Layers that are computed again in the backward pass to save memory, where
// most of the memory is free. How much the activations would take is not known:
// at worst only half of the layers can do without.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;   // of the step
constexpr double kMostMemory = 0.5;    // of the device
constexpr double kWorstWithout = 0.5;  // of what is computed again

constexpr Wording kAct = {
    .any = "compute fewer layers again (activation checkpointing)",
    .torch =
        "torch.utils.checkpoint around fewer layers, or none (of an ODE: no "
        "adjoint method)",
    .tensorflow = "tf.recompute_grad around fewer layers, or none",
    .jax = "jax.checkpoint around fewer layers, or none"};

}  // namespace

void AdviseCheckpoint(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kRecompute);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  const std::optional<double> in_use = MemoryInUse(facts);
  if (!in_use || *in_use > kMostMemory) return;
  Advice advice =
      SavingOf(facts, work, WaitedFor(facts, Direction::kRecompute));
  advice.gain_low_ns *= kWorstWithout;
  advice.gain_high_ns = std::min(
      facts.step_ns, ns + facts.Step(facts.totals.in(DeviceState::kIdle)));
  advice.basis = GainBasis::kMeasured;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step compute the forward pass again, %.2f ms, while %.0f "
      "%% of the memory is in use at most",
      facts.Step(work.count), ns * 1e-6, 100 * *in_use);
  advice.phase = Phase::kBackward;
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
