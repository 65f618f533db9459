// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SLICES_SLICE_READER_H_
#define DLTAP_ANALYZER_METRICS_SLICES_SLICE_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/slices/slice_events.h"
#include "analyzer/metrics/slices/slice_limits.h"
#include "analyzer/model/event_source.h"

namespace dltap::analyzer {

inline constexpr int64_t kBeginOfTime = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kEndOfTime = std::numeric_limits<int64_t>::max();

// Puts one slice of a process after the other into memory, attributed. With
// each comes the begin of the run, and what was captured into graphs before.
// Holds references.
class SliceReader {
 public:
  SliceReader(EventSource& source, size_t process,
              const AttributionOptions& options, const SliceLimits& limits,
              const std::function<void(double part)>& progress)
      : source_(source),
        index_(process),
        options_(options),
        limits_(limits),
        progress_(progress),
        events_(std::make_shared<SliceEvents>(
            source.model(), source.model().processes[process])) {}

  void Read(const TimePart& span);

  // Where a margin behind or before a moment ends or begins, at the least:
  // what a time between two samples of CPU time is like, both tell. Such a
  // margin holds some of them, or else the time in which there should be some.
  int64_t SampledUntil(int64_t at_ns) const;
  int64_t SampledSince(int64_t at_ns) const;

  EventSource& source() const { return source_; }
  const TraceModel& model() const { return source_.model(); }
  const EventTotals& totals() const { return source_.TotalsOf(index_); }
  // Of the slice; before the first, what all have in common.
  const std::shared_ptr<const SliceEvents>& events() const { return events_; }
  const Process& process() const { return events_->process; }
  const ProcessAttribution& attribution() const { return events_->attribution; }
  // About `events` of the process begin between `from_ns` and this.
  int64_t TimeAfter(int64_t from_ns, uint64_t events) const {
    return source_.TimeAfter(index_, from_ns, events);
  }

 private:
  EventSource& source_;
  const size_t index_;
  const AttributionOptions& options_;
  const SliceLimits& limits_;
  const std::function<void(double part)>& progress_;
  std::shared_ptr<const SliceEvents> events_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SLICES_SLICE_READER_H_
