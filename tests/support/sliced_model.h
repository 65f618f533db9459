// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_SUPPORT_SLICED_MODEL_H_
#define DLTAP_TESTS_SUPPORT_SLICED_MODEL_H_

#include <vector>

#include "analyzer/model/event_source.h"

namespace dltap::analyzer {

// A model as a source of its parts, to compare slices with the whole.
class SlicedModel : public EventSource {
 public:
  explicit SlicedModel(TraceModel whole);

  const TraceModel& model() const override { return part_; }
  const EventTotals& TotalsOf(size_t process) const override {
    return totals_[process];
  }
  int64_t TimeAfter(size_t process, int64_t from_ns,
                    uint64_t events) const override;
  Process Read(size_t process, const std::vector<TimePart>& parts) override;

  // The most events that were in memory at a time.
  uint64_t most_events() const { return most_events_; }
  size_t reads() const { return reads_; }

 private:
  const TraceModel whole_;
  TraceModel part_;
  std::vector<EventTotals> totals_;
  std::vector<std::vector<int64_t>> begins_;  // of all events, sorted
  uint64_t most_events_ = 0;
  size_t reads_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_SUPPORT_SLICED_MODEL_H_
