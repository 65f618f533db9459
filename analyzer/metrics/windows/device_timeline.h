// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_DEVICE_TIMELINE_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_DEVICE_TIMELINE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

inline constexpr size_t kClassCount = static_cast<size_t>(LayerClass::kCount);
static_assert(kClassCount <= 32, "Segment::classes");

template <typename T>
using PerClass = std::array<T, kClassCount>;

// What a device does at an instant; docs/design.md section 6 "Device time".
enum class DeviceState : uint8_t {
  kCompute,
  kComm,
  kCopy,
  kIdle,
  kNotObserved,
  kCount
};

DeviceState StateOf(LayerClass layer_class);

// A maximal span during which the same activities run.
struct Segment {
  Interval span;
  DeviceState state;
  size_t leading;    // the activity that began first among those that give
                     // the state; kNoActivity when idle or not observed
  uint32_t classes;  // of what runs: a bit each
};
inline constexpr size_t kNoActivity = static_cast<size_t>(-1);

// Visits the segments of `device` inside `windows`, in time and without
// holes. Activities are clipped to the window.
void VisitSegments(const Process& process,
                   const ProcessAttribution& attribution, DeviceId device,
                   const std::vector<StepWindow>& windows,
                   const std::function<void(const Segment&)>& visit);

// Visits the spans inside `windows` in which `device` is idle, in time, with
// the number of the window.
void VisitIdle(const Process& process, DeviceId device,
               const std::vector<StepWindow>& windows,
               const std::function<void(Interval span, size_t window)>& visit);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_DEVICE_TIMELINE_H_
