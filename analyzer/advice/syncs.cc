// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/waits.h"

// The program waits for the GPU in the middle of a step, and copies nothing:
// timers and checks that were left behind.
namespace dltap::analyzer {
namespace {

// Of a step; that of the last step may be missing.
constexpr double kLeastWaits = 0.8;

constexpr Wording kAct = {
    .any = "wait for the GPU once in many steps",
    .torch = "no torch.cuda.synchronize() in each step; time with CUDA events",
    .jax = "no block_until_ready() in each step",
    .mxnet = "no waitall() or wait_to_read() in each step"};

}  // namespace

void AdviseSyncs(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& idle = facts.Signs(Sign::kWaitIdle);
  const double count = facts.Step(idle.count);
  const double ns = facts.Step(idle.ns);
  if (count < kLeastWaits) return;
  Advice advice;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f wait%s a step for all that was submitted; the GPU then waits %.2f "
      "ms for new work",
      count, count < 1.5 ? "" : "s", ns * 1e-6);
  advice.evidence = {.count = count,
                     .ns = ns,
                     .share = facts.ShareOfStep(ns),
                     .calls = {},
                     .ops = {},
                     .steps_seen = idle.steps};
  if (const auto& drains = facts.figures.program.drained_by; !drains.empty()) {
    advice.evidence.calls = {drains.front().name};
  }
  SetGainOfWaits(facts, LeastGainOfWaits(facts, idle), 0, advice);
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
