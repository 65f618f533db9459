// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "one batched operation in place of a loop over slices",
    .torch =
        "torch.bmm (or a batched layer) in place of a loop over w[i]; "
        "else x.unbind() or x.split() before the loop in place of x[i]"};

// One operation for all slices has no gaps between theirs, and fills the GPU.
double BesideNs(const Facts& facts) {
  const auto copies = static_cast<size_t>(LayerClass::kCopyD2d);
  double ns = facts.Step(facts.totals.classes[copies].gpu_ns) +
              facts.Step(facts.totals.in(DeviceState::kIdle));
  for (const ClassRow& row : facts.classes) {
    if (row.bound != LimitedBy::kLatency) continue;
    if (row.layer_class == LayerClass::kCopyD2d) continue;
    ns += facts.Step(row.figures.sums.gpu_ns);
  }
  return ns;
}

// Each expert's rows, and its matrices where they are slices, have such
// gradients: the loop has advice of its own.
bool HasExpertLoop(const Facts& facts) {
  constexpr double kLeastOfLoop = 0.05;  // of the step
  const AvoidableSums& loop = facts.totals.avoidable.of(Avoidable::kExpertLoop);
  return facts.ShareOfStep(facts.Step(loop.ns)) >= kLeastOfLoop;
}

}  // namespace

void AdviseSlicedGradients(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kSlicedGradients);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare || HasExpertLoop(facts)) return;
  Advice advice =
      SavingOf(facts, work, WaitedFor(facts, LayerClass::kElementwise));
  advice.gain_high_ns =
      std::min(facts.step_ns, advice.gain_high_ns + BesideNs(facts));
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f slices of tensors a step have gradients as large as the whole, "
      "which are filled with zeros and added up, %.2f ms",
      facts.Step(work.count), ns * 1e-6);
  advice.layer_class = LayerClass::kElementwise;
  advice.phase = Phase::kBackward;
  advice.claims.With(LayerClass::kElementwise);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
