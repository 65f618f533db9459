// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/waits.h"

// The program looks at values on the GPU in the middle of a step: each look
// waits until the queue is empty, and then the GPU waits for new work.
namespace dltap::analyzer {
namespace {

// Of a step; that of the last step may be missing.
constexpr double kLeastReads = 0.8;

constexpr Wording kAct = {
    .any = "keep losses and norms on the GPU; read them every N steps",
    .torch =
        "no .item(), print(tensor) or x[mask] in each step: read every N "
        "steps, "
        "and torch.where for masks",
    .tensorflow = "no .numpy() in each step; read losses every N steps",
    .jax = "no float(x) or .item() in each step; read losses every N steps",
    .mxnet = "no .asscalar() in each step; read losses every N steps"};

}  // namespace

void AdviseSyncReads(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& reads = facts.Signs(Sign::kSmallRead);
  const SignSums& idle = facts.Signs(Sign::kReadIdle);
  const double count = facts.Step(reads.count);
  if (count < kLeastReads || idle.ns == 0) return;
  const double ns = facts.Step(idle.ns);
  Advice advice;
  advice.after = "gradient_checks";
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f synchronizing read%s of at most %d bytes a step; the GPU then "
      "waits %.2f ms for new work",
      count, count < 1.5 ? "" : "s", kSmallReadBytes, ns * 1e-6);
  advice.evidence = {.count = count,
                     .ns = ns,
                     .share = facts.ShareOfStep(ns),
                     .calls = {},
                     .ops = {"memcpy DtoH"},
                     .steps_seen = std::min(reads.steps, idle.steps)};
  // Without waits the host's work and the GPU's overlap; at worst, what the
  // host cannot do meanwhile stays. At best it is done by then, since reading
  // is work of the host's too: the GPU waits for launches no more, nor for the
  // copies.
  if (const auto& drains = facts.figures.program.drained_by; !drains.empty()) {
    advice.evidence.calls = {drains.front().name};
  }
  // At best reading is work of the host's no more, and no copy waits.
  SetGainOfWaits(facts, LeastGainOfWaits(facts, idle), facts.Step(reads.ns),
                 advice);
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
