// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DEVICES_STEP_SERIES_H_
#define DLTAP_ANALYZER_METRICS_DEVICES_STEP_SERIES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/idle/phases.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

// What is kept of each window of a device. kLead, kIdle and kNotObserved
// together partition the window; so does kPhase.
enum class SeriesKind : uint8_t {
  kKernels,  // of a class, in a pass: overlaps count twice
  kLead,     // instants at which a class, in a pass, gives the device's state
  kIdle,     // by cause
  kPhase,
  kNotObserved
};

// The passes that a step is told apart by; the gradients are one.
enum class Pass : uint8_t { kNone, kForward, kBackward, kUpdate };
Pass PassOf(Direction direction);
std::string_view Name(Pass pass);  // "" for kNone

struct SeriesKey {
  SeriesKind kind;
  uint8_t index = 0;  // LayerClass, IdleCause or Phase
  Pass pass = Pass::kNone;

  auto operator<=>(const SeriesKey&) const = default;
};

// ns per window, one value a window for each key that any window has.
class StepSeries {
 public:
  StepSeries() = default;
  explicit StepSeries(size_t windows) : windows_(windows) {}

  // The values of a key, a row that stays where it is; zeros if it is new.
  std::vector<int64_t>& Of(SeriesKey key);
  // The windows of a later part of the run.
  void Append(const StepSeries& later);
  // Adds what `from` has of its window to a window of this.
  void AddWindow(size_t window, const StepSeries& from, size_t of);

  // Makes all windows one.
  void JoinWindows();

  size_t windows() const { return windows_; }
  const std::map<SeriesKey, std::vector<int64_t>>& all() const { return of_; }

  auto operator<=>(const StepSeries&) const = default;

 private:
  size_t windows_ = 0;
  std::map<SeriesKey, std::vector<int64_t>> of_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DEVICES_STEP_SERIES_H_
