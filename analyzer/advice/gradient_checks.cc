// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A debugging mode that was left on: the backward pass looks for NaN in each
// gradient, and the host reads the answer before it goes on.
namespace dltap::analyzer {
namespace {

constexpr double kLeastChecks = 4;  // of a step; fewer are the program's own
constexpr double kReadEach = 0.8;   // of them: the answer is read

constexpr Wording kAct = {
    .any = "no search for NaN in each gradient once the bug is found",
    .torch =
        "no torch.autograd.set_detect_anomaly(True), nor NaN checks in "
        "hooks, once the bug is found"};

// What the reductions clear, the reads, and the gaps after them.
double BesideNs(const Facts& facts) {
  const auto memsets = static_cast<size_t>(LayerClass::kMemset);
  return facts.Step(facts.totals.classes[memsets].gpu_ns) +
         facts.Step(facts.Signs(Sign::kSmallRead).ns) +
         facts.Step(facts.totals.in(DeviceState::kIdle));
}

}  // namespace

void AdviseGradientChecks(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kGradientChecks);
  const double checks = facts.Step(work.count);
  const double reads = facts.Step(facts.Signs(Sign::kSmallRead).count);
  if (checks < kLeastChecks || reads < kReadEach * checks) return;
  Advice advice =
      SavingOf(facts, work, WaitedFor(facts, LayerClass::kElementwise));
  advice.gain_high_ns += BesideNs(facts);
  advice.basis = GainBasis::kMeasured;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "the backward pass compares all elements of %.0f gradients a step, %.2f "
      "ms, and the host reads each result before it goes on",
      checks, advice.evidence.ns * 1e-6);
  advice.evidence.calls = {"cudaMemcpyAsync"};
  advice.phase = Phase::kBackward;
  advice.claims.With(LayerClass::kElementwise).With(LayerClass::kReduction);
  for (const IdleCause cause : {IdleCause::kWait, IdleCause::kLaunch,
                                IdleCause::kFramework, IdleCause::kLatency}) {
    advice.claims.With(cause);
  }
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
