// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Gradients that are copied out of the memory in which ranks reduce them.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.02;  // of the step

constexpr Wording kAct = {
    .any = "let gradients lie in the memory that is reduced",
    .torch = "DistributedDataParallel(..., gradient_as_bucket_view=True)"};

}  // namespace

void AdviseBucketCopies(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kBucketCopies);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kCopyD2d));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f copies a step between gradients and what all-reduces send, %.2f "
      "ms",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kCopyD2d;
  advice.claims.With(LayerClass::kCopyD2d);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
