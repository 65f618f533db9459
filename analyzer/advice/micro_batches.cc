// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A batch in parts, whose gradients are added up, while most of the memory is
// free. Larger parts take more memory, at most as many times as they are
// larger, and fewer of the kernels that are too small for the GPU.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;     // of the step
constexpr double kMostMemory = 0.8;      // of the device, with larger parts
constexpr double kSurelyLaunched = 0.4;  // of the idle time for launches

constexpr Wording kAct = {
    .any = "larger parts of the batch, fewer of them (gradient accumulation)",
    .torch = "larger micro-batches, fewer accumulation steps"};

bool HasHostTimes(const Facts& facts) {
  return !facts.figures.program.has_fixed_costs;
}

}  // namespace

void AdviseMicroBatches(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kMicroBatches);
  const double ns = facts.Step(work.ns);
  const double parts = facts.Step(work.count);
  const std::optional<double> in_use = MemoryInUse(facts);
  if (facts.ShareOfStep(ns) < kLeastShare || parts < 2 || !in_use) return;
  const double larger = std::min(parts, std::floor(kMostMemory / *in_use));
  if (larger < 2) return;
  // Of what all parts in one would save.
  const double share = (1 - 1 / larger) / (1 - 1 / parts);
  const double fewer = 1 - 1 / larger;
  Advice advice = SavingOf(facts, work, WaitedFor(facts));
  const double idle_ns = facts.Step(facts.totals.in(DeviceState::kIdle));
  const double launch_ns = facts.Step(facts.Signs(Sign::kLaunchIdle).ns);
  advice.gain_low_ns *= share;
  if (HasHostTimes(facts)) {
    advice.gain_low_ns += kSurelyLaunched * fewer * launch_ns;
  }
  advice.gain_high_ns =
      std::min(share * advice.gain_high_ns + fewer * idle_ns, facts.step_ns);
  advice.gain_low_ns = std::min(advice.gain_low_ns, advice.gain_high_ns);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f equal passes before each update, %.1f %% of the memory in use: "
      "parts %.0f times as large have room",
      parts, 100 * *in_use, larger);
  advice.claimed_ns = facts.step_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
