// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// An update of many kernels, each of which reads and writes what the one before
// it wrote. How many bytes a fused one moves is told by the bytes of the
// kernels that it replaces. At best the gaps between them go too.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;  // of the step
constexpr double kLeastKernels = 50;  // a step
// Of the gaps that launches make, gone at least.
constexpr double kFewerLaunches = 0.4;

constexpr Wording kAct = {
    .any = "a fused update (one kernel for all weights)",
    .torch =
        "fused=True in the optimizer (Adam, AdamW, SGD); for others "
        "torch.compile around optimizer.step",
    .tensorflow = "model.compile(..., jit_compile=True)",
    .jax = "the update inside jax.jit",
    .mxnet = "multi-tensor updates (MXNET_OPTIMIZER_AGGREGATION_SIZE=45)"};

AvoidableSums Together(const AvoidableWork& work) {
  AvoidableSums sums = work.of(Avoidable::kTensorUpdate);
  const AvoidableSums& lists = work.of(Avoidable::kListUpdate);
  const uint64_t windows = std::max(sums.windows, lists.windows);
  sums.Add(lists);
  sums.windows = windows;
  return sums;
}

// Of all classes, whatever they compute; without the gaps between its kernels.
double UpdateGpuNs(const Facts& facts) {
  double ns = 0;
  for (const ClassSummary& sums : facts.totals.classes) {
    ns += facts.Step(sums.of(Direction::kUpdate));
  }
  return ns;
}

// Of the gaps in the update, those in which the GPU waits for launches: few
// kernels in place of many need few.
double LaunchingNs(const Facts& facts, double gaps_ns) {
  if (facts.figures.program.has_fixed_costs) return 0;
  return std::min(gaps_ns, facts.Step(facts.Signs(Sign::kLaunchIdle).ns));
}

double UpdateNs(const Facts& facts) {
  return facts.Step(
      facts.totals.phases_ns[static_cast<size_t>(Phase::kUpdate)]);
}

// What of the update's gaps lies between kernels that take `ns`: others in it
// (histograms of weights, their averages) keep theirs.
double GapsNs(const Facts& facts, double ns) {
  const double gpu_ns = UpdateGpuNs(facts);
  return std::max(0.0, UpdateNs(facts) - gpu_ns) * std::min(1.0, ns / gpu_ns);
}

}  // namespace

void AdviseOptimizer(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableWork& all = facts.totals.avoidable;
  const AvoidableSums work = Together(all);
  const double kernels = facts.Step(work.count);
  const bool of_lists = all.of(Avoidable::kListUpdate).count > 0;
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(UpdateNs(facts)) < kLeastShare) return;
  if (ns <= 0 || ns < UpdateGpuNs(facts) / 2) return;  // most of it is fused
  const double gaps_ns = GapsNs(facts, ns);
  const double update_ns = ns + gaps_ns;
  if (kernels <= kLeastKernels && !of_lists) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, Direction::kUpdate));
  const double launching_ns = LaunchingNs(facts, gaps_ns);
  advice.gain_low_ns += kFewerLaunches * launching_ns;
  advice.gain_high_ns =
      std::max(advice.gain_low_ns, advice.gain_high_ns + gaps_ns);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "the optimizer takes %.2f ms, in %.0f kernels of %.1f us",
      update_ns * 1e-6, kernels, ns / std::max(1.0, kernels) * 1e-3);
  advice.phase = Phase::kUpdate;
  advice.claims.With(LayerClass::kOptimizer);
  if (launching_ns > 0) {
    advice.claims.With(IdleCause::kLaunch)
        .With(IdleCause::kFramework)
        .With(IdleCause::kLibrary);
  }
  advice.claimed_ns = update_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
