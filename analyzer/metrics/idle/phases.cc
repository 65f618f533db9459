// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/phases.h"

#include "analyzer/metrics/base/add_arrays.h"

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

void PhaseParts::Add(const PhaseParts& other) {
  for (size_t i = 0; i < kPhaseCount; ++i) {
    AddTo(busy_ns[i], other.busy_ns[i]);
    AddTo(idle_ns[i], other.idle_ns[i]);
  }
  not_observed_ns += other.not_observed_ns;
}

std::optional<Phase> PhaseOf(const ProcessAttribution& attribution,
                             const Segment& segment) {
  if (segment.state == DeviceState::kIdle) return std::nullopt;
  if (segment.leading == kNoActivity) return Phase::kOther;  // not observed
  return PhaseOf(attribution.activities[segment.leading]);
}

Phase PhaseOf(const ProcessAttribution& attribution, const Gap& gap,
              IdleCause cause) {
  if (cause == IdleCause::kInput) return Phase::kIo;
  return gap.ended_by == kNoActivity
             ? Phase::kOther
             : PhaseOf(attribution.activities[gap.ended_by]);
}

void AddPhase(const ProcessAttribution& attribution, const Segment& segment,
              PhaseParts& parts) {
  const std::optional<Phase> phase = PhaseOf(attribution, segment);
  if (!phase) return;
  const int64_t ns = segment.span.length_ns();
  if (segment.leading == kNoActivity) {
    parts.not_observed_ns += ns;
    return;
  }
  const LayerClass leading =
      attribution.activities[segment.leading].layer_class;
  parts.busy_ns[static_cast<size_t>(*phase)][static_cast<size_t>(leading)] +=
      ns;
}

void AddPhases(const ProcessAttribution& attribution, const Gap& gap,
               PhaseParts& parts) {
  for (size_t i = 0; i < kIdleCauses; ++i) {
    if (gap.ns[i] == 0) continue;
    const Phase phase = PhaseOf(attribution, gap, static_cast<IdleCause>(i));
    parts.idle_ns[static_cast<size_t>(phase)][i] += gap.ns[i];
  }
}

PhaseTimes PhasesOf(const PhaseParts& parts) {
  PhaseTimes phases{};
  for (size_t i = 0; i < kPhaseCount; ++i) {
    for (const int64_t ns : parts.busy_ns[i]) phases[i] += ns;
    phases[i] += SumOf(parts.idle_ns[i]);
  }
  phases[static_cast<size_t>(Phase::kOther)] += parts.not_observed_ns;
  return phases;
}

}  // namespace dltap::analyzer
