// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SLICES_RUN_SLICER_H_
#define DLTAP_ANALYZER_METRICS_SLICES_RUN_SLICER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/base/one_behind.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/slices/slice_limits.h"
#include "analyzer/metrics/slices/slice_reader.h"
#include "analyzer/metrics/slices/sliced_process.h"

namespace dltap::analyzer {

// Goes slice by slice through a process that is one window: its whole run, the
// part that Selection::window asks for, or a run without steps. A slice ends
// where the devices had rested longest, of those moments that leave a margin
// behind it; on each device, with the begin of the first work from then on, so
// that no gap is cut. The next slice has what lies before as its margin; it is
// read while the one before is summed up. Holds references.
class RunSlicer {
 public:
  RunSlicer(EventSource& source, size_t process,
            const AttributionOptions& options, const Selection& selection,
            const SliceLimits& limits,
            const std::function<void(double part)>& progress);

  // nullopt: it can't be done; see why_not().
  std::optional<SlicedProcess> Run();
  const std::string& why_not() const { return why_not_; }
  // It was since a slice has steps.
  bool has_steps() const { return has_steps_; }

 private:
  // What the slice counts of a device.
  struct DevicePart {
    TimePart span;
    uint64_t activities = 0;
    int64_t busy_until_ns = kBeginOfTime;
  };

  bool HasSteps() const;
  int64_t Cut(uint64_t events) const;
  int64_t NextBegin(DeviceId device, int64_t from_ns) const;
  std::optional<std::vector<DevicePart>> CutDevices(int64_t cut_ns) const;
  bool DeviceIsBehind(int64_t cut_ns);
  int64_t FirstSubmission(const std::vector<DevicePart>& parts) const;
  void Count(int64_t cut_ns, const std::vector<DevicePart>& parts);
  Steps HostSteps(const TimePart& part) const;
  std::vector<StepWindow> WindowsOf(DeviceId device,
                                    const TimePart& part) const;
  std::vector<StepWindow> EarlierWindows(DeviceId device,
                                         const TimePart& part) const;
  Interval WindowOf(DeviceId device, const TimePart& part) const;
  Interval Asked() const;
  void JoinWindows();

  const Process& process() const { return reader_.process(); }

  SliceReader reader_;
  const Selection& selection_;
  const bool is_selected_;  // else its communication alone counts
  const SliceLimits& limits_;
  std::string why_not_;
  bool has_steps_ = false;
  TimePart span_;  // of the slice, with its margins
  int64_t core_begin_ns_ = kBeginOfTime;
  // By device: what is not counted yet begins here, with so many activities;
  // and when the last one ends of those that are.
  std::vector<int64_t> device_begin_ns_;
  std::vector<uint64_t> left_;
  std::vector<int64_t> busy_until_ns_;
  // Launches of the slice whose kernels were not in memory, when it was as
  // long as it could be: they are missing.
  uint64_t missing_ = 0;
  // What the other thread fills.
  CollectiveFinder collectives_;
  SlicedProcess out_;
  OneBehind counting_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SLICES_RUN_SLICER_H_
