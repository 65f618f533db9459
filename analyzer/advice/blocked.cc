// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"

// The thread that feeds the GPU is ready to run, but other threads have its
// CPUs: the machine is busy, or the program makes too many threads.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;    // of the step
constexpr uint64_t kLeastSamples = 20;  // tell the share to about a tenth

}  // namespace

void AdviseBlocked(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& idle = facts.Signs(Sign::kPreemptedIdle);
  const double ns = facts.Step(idle.ns);
  const uint64_t samples = facts.totals.cpu_samples;
  if (facts.ShareOfStep(ns) < kLeastShare || samples < kLeastSamples) return;
  Advice advice;
  advice.act = "fewer worker threads, or more or other CPUs (taskset)";
  advice.why = absl::StrFormat(
      "the feeding thread is ready but has no CPU for %.1f %% of the step, by "
      "%d samples",
      100 * facts.ShareOfStep(ns), samples);
  advice.evidence = {.count = facts.Step(idle.count),
                     .ns = ns,
                     .share = facts.ShareOfStep(ns),
                     .calls = {},
                     .ops = {},
                     .steps_seen = idle.steps};
  advice.gain_low_ns = ns / 2;  // samples tell a mean over long spans
  advice.gain_ns = advice.gain_high_ns = ns;
  advice.claims.With(IdleCause::kPreempted);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
