// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_OUTSIDE_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_OUTSIDE_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/device_timeline.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/event_source.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Reasons beside those of steps (Name(StepUse)) why GPU work does not count.
inline constexpr std::string_view kBeforeFirstStep = "before_first_step";
inline constexpr std::string_view kAfterLastStep = "after_last_step";
inline constexpr std::string_view kDeviceWithoutSteps = "device_without_steps";
inline constexpr std::string_view kProcessWithoutSteps =
    "process_without_steps";
inline constexpr std::string_view kNotSelected = "not_selected";

struct LeftOut {
  uint64_t steps = 0;
  int64_t gpu_ns = 0;   // of activities
  int64_t wall_ns = 0;  // of these steps, on the host's time line

  auto operator<=>(const LeftOut&) const = default;
};

// The GPU work outside all windows. With what lies inside, it is all of the
// trace.
struct Outside {
  PerClass<int64_t> gpu_ns{};
  std::map<std::string, LeftOut> left_out;  // by reason; gpu_ns sum up alike

  int64_t total_ns() const;
  int64_t not_selected_ns() const;
  void Add(const Outside& other);

  auto operator<=>(const Outside&) const = default;
};

// A part of the time line, and why work inside it does not count.
struct OutsidePart {
  Interval span;
  std::string_view reason;
};

// All time, for one reason.
std::vector<OutsidePart> AlwaysOutside(std::string_view reason);

// All time around the used ones of `windows`, which are AllStepWindows of the
// same steps.
std::vector<OutsidePart> AroundSteps(const Steps& steps,
                                     const std::vector<StepWindow>& windows);

// What of the parts lies inside `part`.
std::vector<OutsidePart> Clipped(std::vector<OutsidePart> parts,
                                 const TimePart& part);

// Adds the time of the device's activities that lies in `parts` and not inside
// `windows`. Both are disjoint and in time.
void AddOutside(const Process& process, const ProcessAttribution& attribution,
                DeviceId device, const std::vector<OutsidePart>& parts,
                const std::vector<StepWindow>& windows, Outside& outside);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_OUTSIDE_H_
