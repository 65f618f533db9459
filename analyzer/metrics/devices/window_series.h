// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DEVICES_WINDOW_SERIES_H_
#define DLTAP_ANALYZER_METRICS_DEVICES_WINDOW_SERIES_H_

#include <array>
#include <cstddef>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/devices/step_series.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/windows/device_timeline.h"
#include "analyzer/metrics/windows/window.h"

namespace dltap::analyzer {

// Fills the series of a device's windows, which are disjoint and in time, from
// its segments, activities and gaps. Holds references.
class WindowSeries {
 public:
  // `series` has a value for each of the windows.
  WindowSeries(const ProcessAttribution& attribution,
               const std::vector<StepWindow>& windows, StepSeries& series)
      : attribution_(attribution), windows_(windows), series_(series) {}

  // Each in time. Returns the window that it lies in.
  size_t AddSegment(const Segment& segment);
  // Each in time.
  void AddActivity(Interval span, const Attributed& attributed);
  // Into `window`, as the gap may count the windows otherwise.
  void AddGap(const Gap& gap, size_t window);

 private:
  void Add(SeriesKey key, size_t window, int64_t ns);

  static constexpr size_t kKinds = 5;
  static constexpr size_t kIndices = 32;
  static constexpr size_t kPasses = 4;

  const ProcessAttribution& attribution_;
  const std::vector<StepWindow>& windows_;
  StepSeries& series_;
  size_t segment_window_ = 0;   // where the last segment lay
  size_t activity_window_ = 0;  // where the last activity began to lie
  // Rows of series_, so that none is looked up.
  std::array<std::vector<int64_t>*, kKinds * kIndices * kPasses> rows_{};
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DEVICES_WINDOW_SERIES_H_
