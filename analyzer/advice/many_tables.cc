// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Embedding tables that are looked up one by one, as recommenders have them.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "tables of one width in one table, and one lookup of all their rows",
    .torch =
        "tables of one width in one nn.Embedding or nn.EmbeddingBag, each "
        "at an offset (or torchrec's), and one lookup of all their rows"};

// Memory that each lookup's kernels clear, and what joins their rows.
double BesideNs(const Facts& facts) {
  constexpr std::array kClasses = {LayerClass::kLayout,
                                   LayerClass::kElementwise,
                                   LayerClass::kCopyD2d, LayerClass::kMemset};
  return PassesNs(facts, kClasses) +
         facts.Step(facts.totals.in(DeviceState::kIdle));
}

}  // namespace

void AdviseManyTables(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kManyTables);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice =
      SavingOf(facts, work, WaitedFor(facts, LayerClass::kEmbedding));
  advice.gain_high_ns += BesideNs(facts);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f lookups a step follow each other; their kernels, forward and "
      "backward, take %.2f ms, %.2f of it latency",
      advice.evidence.count, ns * 1e-6,
      facts.Step(static_cast<double>(work.ns) - work.worst_ns) * 1e-6);
  advice.layer_class = LayerClass::kEmbedding;
  advice.claims.With(LayerClass::kEmbedding);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
