// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SLICES_STEP_SLICER_H_
#define DLTAP_ANALYZER_METRICS_SLICES_STEP_SLICER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/one_behind.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/collectives/collective_finder.h"
#include "analyzer/metrics/slices/slice_limits.h"
#include "analyzer/metrics/slices/slice_reader.h"
#include "analyzer/metrics/slices/sliced_process.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/event_source.h"

namespace dltap::analyzer {

// Goes slice by slice through a process that has steps. A slice begins and ends
// with a step: on the host's time line with what the step submits first, on a
// device with the begin of its window. Before it lies a margin of whole steps
// that were summed up already, and behind it two steps at least that were not.
// While a slice is summed up, the next one is read. Holds references.
class StepSlicer {
 public:
  StepSlicer(EventSource& source, size_t process,
             const AttributionOptions& options, const Selection& selection,
             const SliceLimits& limits,
             const std::function<void(double part)>& progress);

  // nullopt: it can't be done; see why_not().
  std::optional<SlicedProcess> Run();
  const std::string& why_not() const { return why_not_; }
  // It was since no steps were found as far as it looked, from the begin on.
  bool has_no_steps() const { return has_no_steps_; }

 private:
  // A slice: its steps, and which of them it counts: [first, end).
  struct Slice {
    Steps steps;
    std::vector<StepUse> found;   // what the search for steps said of them
    std::vector<StepUse> chosen;  // the rules for steps; empty: known before
    size_t first = 0;
    size_t end = 0;
    size_t before = 0;  // steps that were counted before the first
    bool is_last = false;
    std::vector<std::vector<StepWindow>> windows;  // by device, of all steps
  };

  bool Pass();
  bool FindSteps(Slice& slice);
  bool FindCore(Slice& slice);
  std::optional<size_t> EndOfCore(const Slice& slice) const;
  bool EndsOnEveryDevice(const Slice& slice, size_t step) const;
  int64_t BeginOnDevices(const Slice& slice, size_t step) const;
  bool BeginsWhereTheLastEnded(const Slice& slice) const;
  void SetUses(Slice& slice);
  void Count(const std::shared_ptr<const Slice>& slice);
  CountedPart PartOf(const Slice& slice);
  void KeepSteps(const Slice& slice);
  void CountOtherReading(const Slice& slice);
  // On the other thread.
  void CountDevice(const SliceEvents& events, const Slice& slice, size_t device,
                   const TimePart& part);
  void CountHost(const SliceEvents& events, const Slice& slice,
                 const TimePart& part);
  void MoveOn(const Slice& slice);
  size_t MarginBefore(const Slice& slice, size_t step) const;
  std::vector<StepUse> FinalUses() const;
  bool Fail(std::string why_not);

  const Process& process() const { return reader_.process(); }
  const ProcessAttribution& attribution() const {
    return reader_.attribution();
  }

  SliceReader reader_;
  const size_t index_;
  const Selection& selection_;
  const bool is_selected_;  // else its communication alone counts
  const SliceLimits& limits_;
  std::string why_not_;
  bool has_no_steps_ = false;
  // Of all steps so far, as the search found them, and what the windows said.
  std::vector<StepUse> found_;
  std::vector<StepUse> seen_;
  std::vector<StepUse> known_;  // of a first pass; empty: this is it
  TimePart span_;               // of the slice, with its margins
  int64_t core_begin_ns_ = 0;
  std::vector<int64_t> device_begin_ns_;          // of what is not counted yet
  std::vector<std::optional<bool>> has_windows_;  // by device
  // Steps so far by the other reading of the loop, see Steps::other_count.
  double other_count_ = 0;
  bool has_other_reading_ = false;
  // What the other thread fills: these two, but for the steps.
  std::optional<CollectiveFinder> collectives_;
  SlicedProcess out_;
  OneBehind counting_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SLICES_STEP_SLICER_H_
