// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/seen_places.h"

// The device has nothing to do until the host has the next batch.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;    // of the step
constexpr double kSureShare = 0.5;      // of what two workers would save
constexpr double kMakesItItself = 0.5;  // of the samples: at work, not asleep
constexpr double kLittle = 1.0 / 3;     // of the looks: not by chance below 1/2

// An input may be what a loader reads, or what a simulation makes of a result
// (the next state of an environment). No call tells which, so none is taken
// for granted.
constexpr Wording kMakesIt = {
    .any =
        "make the input in other threads or processes, ahead of the step; "
        "several environments at once, if it comes from one",
    .torch =
        "this thread makes its input: num_workers > 0 if a DataLoader gives "
        "it; several environments in processes of their own, if they do",
    .tensorflow =
        "tf.data: .map(f, num_parallel_calls=N).prefetch(N); several "
        "environments at once, if the input comes from one",
    .mxnet =
        "this thread makes its input: num_workers > 0 if a DataLoader gives "
        "it"};
// Too few samples tell which of the two it is.
constexpr Wording kMakesItOrWaits = {
    .any = kMakesIt.any,
    .torch =
        "num_workers > 0, and as many as keep up, if a DataLoader gives the "
        "input (all that is done to a batch belongs there); several "
        "environments in processes of their own, if they do",
    .tensorflow = kMakesIt.tensorflow,
    .mxnet =
        "num_workers > 0, and as many as keep up, if a DataLoader gives the "
        "input"};
constexpr Wording kWaitsForIt = {
    .any = "make the input ahead, by more threads or processes",
    .torch =
        "this thread sleeps until it has its input: more workers "
        "(num_workers) if a DataLoader gives it, or a quicker source",
    .tensorflow = "tf.data: .map(f, num_parallel_calls=N).prefetch(N)",
    .mxnet = "more workers (num_workers), if a DataLoader gives the input"};

// Looks have found a loader at work, and nothing else.
constexpr Wording kLoaderMakes = {
    .any = kMakesIt.any,
    .torch = "num_workers > 0 in the DataLoader: this thread makes its input",
    .tensorflow = "tf.data: .map(f, num_parallel_calls=N).prefetch(N)",
    .mxnet = "num_workers > 0 in the DataLoader: this thread makes its input"};
constexpr Wording kLoaderMakesOrWaits = {
    .any = kMakesIt.any,
    .torch =
        "num_workers > 0 in the DataLoader, and as many as keep up; all that "
        "is done to a batch belongs there",
    .tensorflow = kLoaderMakes.tensorflow,
    .mxnet = "num_workers > 0 in the DataLoader, and as many as keep up"};
constexpr Wording kWaitsForLoader = {
    .any = kWaitsForIt.any,
    .torch =
        "more workers in the DataLoader (num_workers), or a quicker source",
    .tensorflow = kWaitsForIt.tensorflow,
    .mxnet = "more workers in the DataLoader (num_workers)"};
// And none at all.
constexpr Wording kNoLoader = {
    .any =
        "do that in another thread or process, ahead of the step, or less "
        "often: no loader of a known library is at work there"};
// Some, but most do something else.
constexpr Wording kLittleLoader = {
    .any =
        "most of that is not the loader's work: do it in another thread or "
        "process, ahead of the step, or less often"};

constexpr Wording kServes = {
    .any =
        "make the next input ready, and deliver results, in other threads or "
        "processes while the GPU computes",
    .torch =
        "make the next input ready, and deliver results, in other threads or "
        "processes while the GPU computes (a DataLoader: num_workers > 0)",
    .tensorflow =
        "tf.data: .map(f, num_parallel_calls=N).prefetch(N); deliver results "
        "in another thread"};

// Passes forward alone: requests may be answered, without any loader.
bool OnlyServes(const Facts& facts) {
  bool forward = false;
  for (const ClassSummary& sums : facts.totals.classes) {
    if (sums.backward_ns() + sums.of(Direction::kUpdate) > 0) return false;
    forward |= sums.of(Direction::kForward) > 0;
  }
  return forward;
}

const Wording& ActOn(const Facts& facts) {
  constexpr double kMost = 0.9;
  const std::optional<double> runs = facts.figures.program.input_runnable_share;
  const std::optional<double> loads =
      SeenShare(facts, SeenIn::kInput, FrameRole::kLoader);
  if (loads && *loads <= 1 - kMost) return kNoLoader;
  if (loads && *loads <= kLittle) return kLittleLoader;
  const bool is_loader = loads && *loads >= kMost;
  if (!runs) return is_loader ? kLoaderMakesOrWaits : kMakesItOrWaits;
  const bool makes = *runs >= kMakesItItself;
  if (is_loader) return makes ? kLoaderMakes : kWaitsForLoader;
  return makes ? kMakesIt : kWaitsForIt;
}

// Whether looks and samples have seen the launching thread do a loader's work.
bool MakesItself(const Facts& facts) {
  constexpr double kMost = 0.9;
  return facts.figures.program.input_runnable_share.value_or(0) >=
             kMakesItItself &&
         SeenShare(facts, SeenIn::kInput, FrameRole::kLoader).value_or(0) >=
             kMost;
}

// Whether each process has a second core of its own.
bool HasCores(const Facts& facts) {
  const auto& processes = facts.summary.processes;
  return !processes.empty() &&
         std::ranges::all_of(processes, [&](const auto& process) {
           return process.cpu && process.cpu->cores >=
                                     2 * static_cast<int64_t>(processes.size());
         });
}

// One more maker works beside the rest of the step. Where a loader's work is
// all that the thread does, two workers halve the step, but for that rest, and
// surely save half as much.
double LeastGain(const Facts& facts, double ns) {
  const double rest_ns = facts.step_ns - ns;
  const double by_one_ns = std::min(ns, rest_ns);
  if (!MakesItself(facts) || !HasCores(facts)) return by_one_ns;
  const double by_two_ns = facts.step_ns - std::max(rest_ns, facts.step_ns / 2);
  return std::max(by_one_ns, kSureShare * by_two_ns);
}

// No call tells the loader from what else runs before the next copy; looks at
// the frames do.
std::string Why(const Facts& facts, double ns, bool serves) {
  const std::string places = SeenPlaces(facts, SeenIn::kInput);
  if (!places.empty()) {
    return absl::StrFormat(
        "the GPU waits %.2f ms a step for its input; meanwhile the program is "
        "in %s",
        ns * 1e-6, places);
  }
  return absl::StrFormat(
      "the GPU waits %.2f ms a step for its input, or what else the program "
      "does between a step and the copy of the next %s",
      ns * 1e-6,
      serves ? "input: work on results, waiting for requests or locks"
             : "batch: an environment, callbacks, logging");
}

}  // namespace

void AdviseInput(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& idle = facts.Signs(Sign::kInputIdle);
  const double ns = facts.Step(idle.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice;
  const bool serves = OnlyServes(facts);
  advice.act = (serves ? kServes : ActOn(facts)).For(facts.framework);
  advice.why = Why(facts, ns, serves);
  advice.phase = Phase::kIo;
  advice.evidence = {.count = facts.Step(idle.count),
                     .ns = ns,
                     .share = facts.ShareOfStep(ns),
                     .calls = {},
                     .ops = {},
                     .steps_seen = idle.steps};
  // Enough makers hide all.
  advice.gain_low_ns = LeastGain(facts, ns);
  advice.gain_ns = advice.gain_high_ns = ns;
  advice.claims.With(IdleCause::kInput);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
