// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Memory that is filled before it is written.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.02;  // of the step

constexpr Wording kAct = {
    .any = "leave out fills of what is written right behind them",
    .torch =
        "torch.utils.deterministic.fill_uninitialized_memory = False: "
        "use_deterministic_algorithms(True) fills all memory that it "
        "takes"};

}  // namespace

void AdviseOverwrittenFills(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kOverwrittenFills);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  constexpr std::array kClasses = {LayerClass::kElementwise, LayerClass::kNorm};
  Advice advice = SavingOf(facts, work, WaitedFor(facts, kClasses));
  advice.gain_high_ns += facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f fills a step, %.2f ms, also right before norms, which write all of "
      "it",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kElementwise;
  advice.claims.With(LayerClass::kElementwise);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
