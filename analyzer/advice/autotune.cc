// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Trials of implementations in step after step: each new size is tried anew.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step
// What is chosen without trials may be slower.
constexpr double kWorstGain = 0.9;

constexpr Wording kAct = {
    .any = "pad the inputs to a few sizes, or no trials",
    .torch =
        "torch.backends.cudnn.benchmark=False, or pad the inputs to a few "
        "sizes",
    .tensorflow = "TF_CUDNN_USE_AUTOTUNE=0, or pad the inputs to a few sizes",
    .jax =
        "XLA_FLAGS=--xla_gpu_autotune_level=0, or pad the inputs to a few "
        "sizes",
    .mxnet =
        "MXNET_CUDNN_AUTOTUNE_DEFAULT=0, or pad the inputs to a few sizes"};

}  // namespace

void AdviseAutotune(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kTrials);
  const double phase_ns =
      facts.Step(facts.totals.phases_ns[static_cast<size_t>(Phase::kAutotune)]);
  if (facts.ShareOfStep(phase_ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, 1);
  const double idle_ns = facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.gain_low_ns = kWorstGain * phase_ns;
  advice.gain_ns = phase_ns;
  advice.gain_high_ns = std::min(facts.step_ns, phase_ns + idle_ns);
  advice.basis = GainBasis::kMeasured;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step are trials of implementations, %.2f ms; new sizes "
      "are tried in step after step",
      facts.Step(work.count), phase_ns * 1e-6);
  advice.phase = Phase::kAutotune;
  advice.claims.With(LayerClass::kConv).With(LayerClass::kGemm);
  advice.claimed_ns = facts.step_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
