// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Gradients as large as the tables that they are of, nearly all of them zeros.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "sparse gradients of the embedding tables",
    .torch =
        "sparse=True in nn.Embedding or nn.EmbeddingBag, and SGD or SparseAdam "
        "for its weights",
    .mxnet = "sparse_grad=True in nn.Embedding"};

// Sorting and adding up the rows becomes work on few of them, at best none, and
// so does adding up the gradients of a table that is looked up twice.
double BesideNs(const Facts& facts) {
  const auto of = [&](LayerClass layer_class) -> const ClassSummary& {
    return facts.totals.classes[static_cast<size_t>(layer_class)];
  };
  return facts.Step(of(LayerClass::kEmbedding).backward_ns()) +
         facts.Step(of(LayerClass::kElementwise).backward_ns()) +
         facts.Step(of(LayerClass::kMemset).gpu_ns) +
         facts.Step(facts.totals.in(DeviceState::kIdle));
}

}  // namespace

void AdviseEmbedding(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kDenseTables);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, Direction::kUpdate));
  advice.gain_high_ns += BesideNs(facts);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "the gradients of %.0f embedding tables a step are zeros but for a few "
      "rows; making them and updating the tables takes up to %.2f ms",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kEmbedding;
  advice.claims.With(LayerClass::kOptimizer).With(LayerClass::kEmbedding);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
