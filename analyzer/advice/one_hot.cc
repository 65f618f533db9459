// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A product that only takes rows out of a table.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "a lookup by index in place of a product with one-hot rows",
    .torch =
        "F.embedding(index, table) (or table[index]) in place of "
        "F.one_hot(index) @ table"};

}  // namespace

void AdviseOneHot(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kOneHot);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kGemm));
  advice.gain_high_ns += facts.Step(facts.totals.in(DeviceState::kIdle));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f products a step multiply a table with rows that a scatter wrote "
      "into zeros; with making these they take %.2f ms",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kGemm;
  advice.claims.With(LayerClass::kGemm).With(LayerClass::kLayout);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
