// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Gradients that are copied out of the memory in which ranks reduce them.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.02;  // of the step
// Of what nothing hides: what stood behind the copies, such as the collective
// of the last bucket, may be what the step waits for then.
constexpr double kSureShare = 0.5;

constexpr Wording kAct = {
    .any = "let gradients lie in the memory that is reduced",
    .torch = "DistributedDataParallel(..., gradient_as_bucket_view=True)"};

}  // namespace

void AdviseBucketCopies(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kBucketCopies);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  const ClassSummary& copies =
      facts.totals.classes[static_cast<size_t>(LayerClass::kCopyD2d)];
  const auto all_ns = static_cast<double>(copies.gpu_ns);
  const double exposed_ns = all_ns - static_cast<double>(copies.hidden_ns());
  Advice advice = SavingOf(facts, work, kSureShare * exposed_ns / all_ns);
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
