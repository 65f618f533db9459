// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.03;  // of the step

constexpr Wording kAct = {
    .any = "leave out casts to another type and back",
    .torch =
        "leave out .float() or .to(dtype) where the next operation casts "
        "back"};

}  // namespace

void AdviseNeedlessCasts(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kNeedlessCasts);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kLayout));
  advice.gain_high_ns += facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.basis = GainBasis::kMeasured;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f casts a step make a tensor of another type, and the next kernel "
      "casts it back, %.2f ms",
      facts.Step(work.count), ns * 1e-6);
  advice.layer_class = LayerClass::kLayout;
  advice.claims.With(LayerClass::kLayout);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
