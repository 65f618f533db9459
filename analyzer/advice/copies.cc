// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step
constexpr double kSureShare = 0.5;    // some may be wanted

constexpr Wording kAct = {
    .any = "leave out copies from GPU to GPU",
    .torch =
        "leave out .clone(), .contiguous() and .repeat() where a view "
        "does (detach, expand, matmul of a transposed tensor), and change "
        "what nothing else reads in place (masked_fill_, index_add_)"};

const ClassSummary& Of(const Facts& facts, LayerClass layer_class) {
  return facts.totals.classes[static_cast<size_t>(layer_class)];
}

}  // namespace

// What gradients of slices, growing caches, sorts and what ranks reduce copy
// has advice of its own. Copies of the backward pass are autograd's: of
// gradients that are written in parts. What XLA copies, as the state of a
// lax.scan, is its compiler's choice.
void AdviseCopies(const Facts& facts, std::vector<Advice>& out) {
  if (facts.framework == Framework::kJax) return;
  const AvoidableWork& work = facts.totals.avoidable;
  if (work.of(Avoidable::kSlicedGradients).ns > 0) return;
  const ClassSummary& copies = Of(facts, LayerClass::kCopyD2d);
  const AvoidableSums& buckets = work.of(Avoidable::kBucketCopies);
  const double ns = facts.Step(copies.gpu_ns - copies.of(Direction::kUpdate) -
                               buckets.ns - work.own_copies_ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice;
  const double count = facts.Step(copies.kernels - buckets.count);
  advice.evidence = {
      .count = count,
      .ns = ns,
      .share = facts.ShareOfStep(ns),
      .calls = {"cudaMemcpyAsync"},
      .ops = {"memcpy DtoD"},
      .steps_seen =
          facts.totals.signs
              .class_steps[static_cast<size_t>(LayerClass::kCopyD2d)]};
  advice.gain_low_ns = kSureShare * ns * WaitedFor(facts, LayerClass::kCopyD2d);
  advice.gain_high_ns = std::min(
      facts.step_ns, ns + facts.Step(work.own_copies_ns) +
                         facts.Step(Of(facts, LayerClass::kLayout).gpu_ns) +
                         facts.Step(facts.totals.in(DeviceState::kIdle)));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f copies a step from GPU memory to GPU memory, %.2f ms", count,
      ns * 1e-6);
  advice.layer_class = LayerClass::kCopyD2d;
  advice.claims.With(LayerClass::kCopyD2d);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
