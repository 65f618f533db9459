// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// The optimizer's update is one kernel or a few, but what lies beside it goes
// over the tensors one by one: gradients that are clipped before it, averages
// of weights that are kept after it.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step
constexpr double kLeastKernels = 50;  // a step

struct Row {
  Avoidable side;
  const char* what;
  Wording act;
};
constexpr std::array<Row, 2> kRows = {{
    {Avoidable::kBeforeUpdate,
     "before the optimizer",
     {.any = "clip or scale all gradients at once, by kernels over lists",
      .torch =
          "clip_grad_norm_(model.parameters(), ..., foreach=True) once, or "
          "torch._foreach_mul_ over all gradients"}},
    {Avoidable::kAfterUpdate,
     "after the optimizer",
     {.any = "average all weights at once, by kernels over lists",
      .torch = "swa_utils.AveragedModel(model, multi_avg_fn="
               "get_ema_multi_avg_fn(decay)), or torch._foreach_lerp_, for the "
               "average of the weights"}},
}};

// What else may be of the same: copies, and gaps between all of them.
double BesideNs(const Facts& facts) {
  const auto copies = static_cast<size_t>(LayerClass::kCopyD2d);
  return facts.Step(facts.totals.classes[copies].gpu_ns) +
         facts.Step(facts.totals.in(DeviceState::kIdle));
}

}  // namespace

// What makes the next batch sample by sample stands behind the update, too.
void AdviseTensorByTensor(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableWork& avoidable = facts.totals.avoidable;
  const bool makes_batch = avoidable.of(Avoidable::kStackedSamples).ns > 0;
  for (const Row& row : kRows) {
    if (makes_batch && row.side == Avoidable::kAfterUpdate) continue;
    const AvoidableSums& work = avoidable.of(row.side);
    const double ns = facts.Step(work.ns);
    const double kernels = facts.Step(work.count);
    if (facts.ShareOfStep(ns) < kLeastShare || kernels <= kLeastKernels) {
      continue;
    }
    Advice advice = SavingOf(facts, work, WaitedFor(facts, Direction::kUpdate));
    advice.gain_high_ns += BesideNs(facts);
    advice.act = row.act.For(facts.framework);
    advice.why = absl::StrFormat(
        "%.0f kernels a step %s are of one tensor each; with what lies beside "
        "them %.2f ms",
        kernels, row.what, ns * 1e-6);
    advice.phase = Phase::kUpdate;
    out.push_back(std::move(advice));
  }
}

}  // namespace dltap::analyzer
