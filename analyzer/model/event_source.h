// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_EVENT_SOURCE_H_
#define DLTAP_ANALYZER_MODEL_EVENT_SOURCE_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A part of the time line: begin <= t < end.
struct TimePart {
  int64_t begin_ns = std::numeric_limits<int64_t>::min();
  int64_t end_ns = std::numeric_limits<int64_t>::max();

  bool Holds(int64_t at_ns) const {
    return begin_ns <= at_ns && at_ns < end_ns;
  }
};

// What a process recorded, counted.
struct EventTotals {
  uint64_t calls = 0;
  uint64_t launches = 0;                 // launch records
  uint64_t activities = 0;               // on all devices
  std::vector<uint64_t> of_device = {};  // activities, by device
  std::vector<TimePart> captures = {};   // when it captured graphs; in time
};

// A trace of which one part after another is in memory, for what must not
// hold it whole.
class EventSource {
 public:
  virtual ~EventSource() = default;

  // Its time line is that of the whole trace. It has all but calls, launch
  // records, activities and ranges.
  virtual const TraceModel& model() const = 0;
  virtual const EventTotals& TotalsOf(size_t process) const = 0;

  // About `events` events of the process begin between `from_ns` and this;
  // the end of all time if it has no more than that.
  virtual int64_t TimeAfter(size_t process, int64_t from_ns,
                            uint64_t events) const = 0;

  // A process with its events that begin in `parts` (disjoint, in time), and
  // ranges that reach into them; samples only of the last part. Other threads
  // may use model() meanwhile, but for its processes.
  virtual Process Read(size_t process, const std::vector<TimePart>& parts) = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_EVENT_SOURCE_H_
