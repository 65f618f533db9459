// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.03;  // of the step

constexpr Wording kAct = {
    .any =
        "let the backward pass write gradients in place of adding them to "
        "zeros",
    .torch = "zero_grad(set_to_none=True), which is the default",
    .mxnet = "grad_req=\"write\" in place of \"add\""};

}  // namespace

void AdviseZeroedGradients(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kZeroedGradients);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts));
  // The first step has no gradients to clear, and is not counted.
  const double others = std::max<double>(1, facts.steps - 1.0);
  advice.gain_high_ns +=
      ns / others + facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.basis = GainBasis::kMeasured;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step fill gradients with zeros, %.2f ms, and the "
      "backward pass adds to them, up to %.2f ms",
      advice.evidence.count, facts.Step(work.ns - work.worst_ns) * 1e-6,
      facts.Step(work.worst_ns) * 1e-6);
  advice.phase = Phase::kBackward;
  advice.claims.With(LayerClass::kElementwise).With(LayerClass::kMemset);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
