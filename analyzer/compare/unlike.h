// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_UNLIKE_H_
#define DLTAP_ANALYZER_COMPARE_UNLIKE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dltap::analyzer {

// What two runs differ in beside what they take.
enum class Unlikeness : uint8_t {
  kNoGpuWork,   // base, now: whether it has any
  kGpu,         // base, now: names
  kSimulated,   // base, now: "real", "simulated"
  kClock,       // the same
  kLevel,       // base, now: levels
  kLosses,      // base, now: ids of warnings; empty: none
  kSteps,       // base, now: how many
  kFewSteps,    // the same, of those with fewer than were asked for
  kStepUnit,    // base, now: how they were told; share: kernels, now / base
  kDevices,     // base, now: how many; there are no steps
  kShapes,      // share: FLOPs of a call of the same layer, now / base
  kLayers,      // share: of the time of layers with weights that both have
  kNoTimes,     // base, now: "yes", "no": kernels have times other than 0
  kFramework,   // base, now: names
  kUse,         // base, now: "training", "inference"
  kFused,       // share: of the layers' GPU time, in layers that both have
  kPrecision,   // base, now: "gemm f32, conv tf32"
  kDeviceCount  // base, now: how many
};
std::string_view Name(Unlikeness what);  // "gpu", "few_steps"

// What it stands in the way of.
enum class Bars : uint8_t {
  kNothing,  // it is said beside the numbers
  kRules,    // judging by rules: a limit is meant for runs that are alike
  kAll       // comparing
};
Bars BarsOf(Unlikeness what);

struct Unlike {
  Unlikeness what;
  std::string base = {};
  std::string now = {};
  std::optional<double> share = std::nullopt;
  std::optional<double> step_share = std::nullopt;  // kShapes: of a step
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_UNLIKE_H_
