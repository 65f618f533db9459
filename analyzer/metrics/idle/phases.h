// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_PHASES_H_
#define DLTAP_ANALYZER_METRICS_IDLE_PHASES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/windows/device_timeline.h"

namespace dltap::analyzer {

// What a training step consists of.
enum class Phase : uint8_t {
  kIo,
  kH2d,
  kForward,
  kBackward,
  kUpdate,
  kComm,
  kAutotune,
  kOther,
  kCount
};
inline constexpr size_t kPhaseCount = static_cast<size_t>(Phase::kCount);
std::string_view Name(Phase phase);

using PhaseTimes = std::array<int64_t, kPhaseCount>;  // ns

// The same, split: by the class of what leads while the device works, by cause
// while it is idle. Sums to the same windows.
struct PhaseParts {
  std::array<PerClass<int64_t>, kPhaseCount> busy_ns{};
  std::array<IdleTimes, kPhaseCount> idle_ns{};
  int64_t not_observed_ns = 0;

  void Add(const PhaseParts& other);

  auto operator<=>(const PhaseParts&) const = default;
};

// Of the time in which this activity leads.
Phase PhaseOf(const Attributed& activity);
// Of a segment, nullopt if it is idle; of a gap's time of that cause.
std::optional<Phase> PhaseOf(const ProcessAttribution& attribution,
                             const Segment& segment);
Phase PhaseOf(const ProcessAttribution& attribution, const Gap& gap,
              IdleCause cause);

// Both together add the phases of every instant of the windows that the
// segments and the gaps are of; they sum to the windows exactly. Compute goes
// to the phase of its direction (autotune first), exposed communication to
// comm, exposed copies to h2d or other, idle to io when its cause is the input,
// else to the phase of what ends it. A segment that is idle adds nothing.
void AddPhase(const ProcessAttribution& attribution, const Segment& segment,
              PhaseParts& parts);
void AddPhases(const ProcessAttribution& attribution, const Gap& gap,
               PhaseParts& parts);

// The phases that the parts add up to; what was not observed is `other`.
PhaseTimes PhasesOf(const PhaseParts& parts);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_PHASES_H_
