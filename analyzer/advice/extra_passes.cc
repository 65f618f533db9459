// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step
constexpr double kSureShare = 0.8;    // now and then one is wanted

constexpr Wording kAct = {
    .any =
        "evaluate every N steps instead of in each; take what the first "
        "pass computed for metrics"};

}  // namespace

void AdviseExtraPasses(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kExtraPasses);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts));
  advice.gain_low_ns *= kSureShare;
  // The last step's pass has no backward pass behind it, and is not counted.
  const auto steps = static_cast<double>(facts.steps);
  advice.gain_high_ns = std::min(
      facts.step_ns, ns * (1 + 1 / std::max(1.0, steps - 1)) +
                         facts.Step(facts.totals.in(DeviceState::kIdle)));
  advice.basis = GainBasis::kMeasured;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.1f passes forward a step over the layers that it trains have no "
      "backward pass (validation, metrics, a second copy of the model?), %.2f "
      "ms",
      facts.Step(work.count), ns * 1e-6);
  advice.phase = Phase::kForward;
  advice.claims.With(LayerClass::kGemm).With(LayerClass::kConv);
  advice.claimed_ns = facts.step_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
