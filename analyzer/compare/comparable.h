// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_COMPARABLE_H_
#define DLTAP_ANALYZER_COMPARE_COMPARABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/compare/layer_pairs.h"
#include "analyzer/compare/step_samples.h"
#include "analyzer/metrics/warnings.h"

namespace dltap::analyzer {

// Why two runs can't be compared.
enum class Obstacle : uint8_t {
  kNoGpuWork,  // base, now: whether it has any
  kGpu,        // base, now: names
  kSimulated,  // base, now: "real", "simulated"
  kClock,      // the same
  kLevel,      // base, now: levels
  kLosses,     // base, now: ids of warnings; empty: none
  kSteps,      // base, now: how many
  kFewSteps,   // the same, of those with fewer than were asked for
  kStepUnit,   // base, now: how they were told; share: kernels, now / base
  kDevices,    // base, now: how many; there are no steps
  kShapes,     // share: arithmetic of a call of the same layer, now / base
  kLayers,     // share: of the GPU time of layers, in layers that both have
  kNoTimes     // base, now: "yes", "no": kernels have times other than 0
};
std::string_view Name(Obstacle obstacle);  // "gpu", "few_steps"

struct NotComparable {
  Obstacle obstacle;
  std::string base = {};
  std::string now = {};
  std::optional<double> share = std::nullopt;
};

// The ids of warnings that say that records are missing; empty: none are.
std::string LossesOf(const Side& side);

// All that stands in the way; empty: the runs can be compared. `least_steps`
// is how many used steps each must have.
std::vector<NotComparable> FindObstacles(const Side& base, const Side& now,
                                         const std::vector<LayerPair>& layers,
                                         size_t least_steps);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_COMPARABLE_H_
