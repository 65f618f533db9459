// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/seen_places.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step
// Of it: part of a pause may be the framework's own, or wait for a CPU.
constexpr double kSureShare = 0.4;

constexpr Wording kAct = {
    .any =
        "what the program does there (logging, files, metrics, sleep) in "
        "another thread, or every N steps",
    .torch =
        "no gc.collect(), torch.save, logging, sleep or NumPy work in "
        "each step, nor a loader that makes the next batch there: every N "
        "steps, or in another thread (num_workers)",
    .tensorflow =
        "no Python work or new tf.function in each step: every N "
        "steps, or in another thread",
    .jax =
        "no NumPy work, files or new jax.jit in each step: every N steps, "
        "or in another thread"};

// What the host does meanwhile, whatever it does in short gaps.
std::string_view Doing(const SignSums& pauses) {
  return 2 * pauses.asleep_ns > pauses.ns ? "sleeps" : "computes on the host";
}

}  // namespace

void AdvisePauses(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& idle = facts.Signs(Sign::kPauseIdle);
  const double ns = facts.Step(idle.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice;
  // Pauses after results count for both.
  advice.after = "download";
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "in %.1f long pauses a step the program %s, and the GPU waits %.2f ms",
      facts.Step(idle.count), Doing(idle), ns * 1e-6);
  const std::string places = SeenPlaces(facts, SeenIn::kBetweenCalls);
  if (!places.empty()) advice.why += "; between calls it is in " + places;
  advice.evidence = {.count = facts.Step(idle.count),
                     .ns = ns,
                     .share = facts.ShareOfStep(ns),
                     .calls = {},
                     .ops = {},
                     .steps_seen = idle.steps};
  advice.gain_low_ns = kSureShare * ns;
  for (const IdleCause cause :
       {IdleCause::kFramework, IdleCause::kBlocked, IdleCause::kPreempted}) {
    advice.gain_high_ns += facts.IdleStepNs(cause);
    advice.claims.With(cause);
  }
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
