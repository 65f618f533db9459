// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/waits.h"

// Each step gives memory back to the driver, which waits for the GPU, and takes
// it again: a cache of memory that is emptied, or is too small.
namespace dltap::analyzer {
namespace {

// Of a step; that of the last step may be missing.
constexpr double kLeastFrees = 0.8;

constexpr Wording kAct = {
    .any = "keep memory for the next step instead of giving it back",
    .torch =
        "no torch.cuda.empty_cache() in each step; where memory is short, "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"};

}  // namespace

void AdviseFrees(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& idle = facts.Signs(Sign::kFreeIdle);
  const double count = facts.Step(idle.count);
  const double ns = facts.Step(idle.ns);
  if (count < kLeastFrees) return;
  Advice advice;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f calls a step give memory back or take it, and wait for the GPU, "
      "which then waits %.2f ms for new work",
      count, ns * 1e-6);
  advice.evidence = {.count = count,
                     .ns = ns,
                     .share = facts.ShareOfStep(ns),
                     .calls = {"cudaFree", "cudaMalloc"},
                     .ops = {},
                     .steps_seen = idle.steps};
  SetGainOfWaits(facts, LeastGainOfWaits(facts, idle), 0, advice);
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
