// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"

// Kernels too short to hide their own launches: the host bounds the step.
namespace dltap::analyzer {
namespace {

constexpr double kShortNs = 10'000;    // mean of kernels and copies
constexpr double kLeastShare = 0.20;   // of the step, idle for launches
constexpr double kGraphsSave = 0.8;    // of that idle time
constexpr double kGraphsSurely = 0.4;  // of it, at least

constexpr Wording kAct = {
    .any = "CUDA graphs, or a larger batch",
    .torch =
        "torch.cuda.graph, torch.compile(mode='reduce-overhead'), or a larger "
        "batch",
    .tensorflow =
        "one tf.function(jit_compile=True) around the step; where it is one, a "
        "larger batch",
    .jax = "one jax.jit around the step; where it is one, a larger batch"};

// Of a step; a graph of it ends where the host looks at a value.
constexpr double kReadsEndGraphs = 4;

constexpr Wording kActBesideReads = {
    .any = "a larger batch; CUDA graphs once no step waits for values",
    .torch =
        "a larger batch; torch.cuda.graph or torch.compile once no step reads "
        "values from the GPU (.item(), x[mask], nonzero)",
    .tensorflow = kAct.tensorflow,
    .jax = kAct.jax};

// Without samples nobody tells launching from other work of the host.
bool LaunchingIsTheLimit(const Figures& figures) {
  return std::any_of(figures.limits.begin(), figures.limits.end(),
                     [](const Limit& limit) {
                       return limit.fault == Fault::kLaunching ||
                              limit.fault == Fault::kUnknown;
                     });
}

// What the host computes in long pauses between calls, no graph takes out.
double LaunchNs(const Facts& facts) {
  const SignSums& pauses = facts.Signs(Sign::kPauseIdle);
  return facts.Step(facts.Signs(Sign::kLaunchIdle).ns) -
         facts.Step(pauses.ns - pauses.asleep_ns);
}

}  // namespace

void AdviseSmallKernels(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& idle = facts.Signs(Sign::kLaunchIdle);
  const double ns = LaunchNs(facts);
  const double kernels = facts.Step(facts.totals.all.kernels);
  const double gpu_ns = facts.Step(facts.totals.all.gpu_ns);
  if (kernels <= 0 || gpu_ns >= kShortNs * kernels) return;
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  if (!LaunchingIsTheLimit(facts.figures)) return;
  Advice advice;
  const bool reads =
      facts.Step(facts.Signs(Sign::kSmallRead).count) >= kReadsEndGraphs;
  advice.act = (reads ? kActBesideReads : kAct).For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels and copies of %.1f us a step; the GPU waits %.2f ms for "
      "their launches",
      kernels, gpu_ns / kernels * 1e-3, ns * 1e-6);
  advice.evidence = {.count = kernels,
                     .ns = ns,
                     .share = facts.ShareOfStep(ns),
                     .calls = {"cudaLaunchKernel"},
                     .ops = {},
                     .steps_seen = idle.steps};
  advice.gain_low_ns = kGraphsSurely * ns;
  advice.gain_ns = kGraphsSave * ns;
  advice.gain_high_ns = ns;
  advice.claims.With(IdleCause::kLaunch)
      .With(IdleCause::kFramework)
      .With(IdleCause::kLibrary)
      .With(IdleCause::kLatency)
      .With(IdleCause::kUnknown);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
