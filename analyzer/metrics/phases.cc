// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/phases.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kNames[kPhaseCount] = {
    "io", "h2d", "forward", "backward", "update", "comm", "autotune", "other"};

Phase PhaseOfDirection(Direction direction) {
  if (IsBackward(direction)) return Phase::kBackward;
  if (direction == Direction::kForward) return Phase::kForward;
  if (direction == Direction::kUpdate) return Phase::kUpdate;
  return Phase::kOther;
}

}  // namespace

Phase PhaseOf(const Attributed& activity) {
  if (activity.autotune) return Phase::kAutotune;
  if (activity.layer_class == LayerClass::kComm) return Phase::kComm;
  if (activity.layer_class == LayerClass::kCopyH2d) return Phase::kH2d;
  return PhaseOfDirection(activity.direction);
}

std::string_view Name(Phase phase) {
  return kNames[static_cast<size_t>(phase)];
}

void AddPhase(const ProcessAttribution& attribution, const Segment& segment,
              PhaseTimes& phases) {
  if (segment.state == DeviceState::kIdle) return;
  const Phase phase = segment.leading == kNoActivity
                          ? Phase::kOther
                          : PhaseOf(attribution.activities[segment.leading]);
  phases[static_cast<size_t>(phase)] += segment.span.length_ns();
}

void AddPhases(const ProcessAttribution& attribution, const Gap& gap,
               PhaseTimes& phases) {
  const int64_t input = gap.ns[static_cast<size_t>(IdleCause::kInput)];
  const Phase ended_by = gap.ended_by == kNoActivity
                             ? Phase::kOther
                             : PhaseOf(attribution.activities[gap.ended_by]);
  phases[static_cast<size_t>(Phase::kIo)] += input;
  phases[static_cast<size_t>(ended_by)] += gap.span.length_ns() - input;
}

}  // namespace dltap::analyzer
