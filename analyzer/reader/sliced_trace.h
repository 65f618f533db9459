// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_SLICED_TRACE_H_
#define DLTAP_ANALYZER_READER_SLICED_TRACE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/model/event_source.h"
#include "analyzer/reader/process_reader.h"

namespace dltap::analyzer {

// Own traces of which one part after another is read. Opening goes through all
// of them once.
class SlicedTrace : public EventSource {
 public:
  // What can't be read is counted, and told to `problems`, as in ReadTrace.
  // `progress`, if any, gets the part that is done.
  SlicedTrace(std::vector<ProcessFiles> files,
              std::vector<std::string>* problems,
              const Progress& progress = {});

  const TraceModel& model() const override { return model_; }
  const EventTotals& TotalsOf(size_t process) const override {
    return readers_[process]->totals();
  }
  int64_t TimeAfter(size_t process, int64_t from_ns,
                    uint64_t events) const override {
    return readers_[process]->TimeAfter(from_ns, events);
  }
  Process Read(size_t process, const std::vector<TimePart>& parts) override;

  // When a process made communicators; in time.
  const std::vector<TimePart>& MeetingsOf(size_t process) const {
    return readers_[process]->meetings();
  }
  void SetRank(size_t process, int rank, int ranks);

 private:
  const std::vector<ProcessFiles> files_;
  ModelBuilder builder_;
  TraceModel& model_;
  std::vector<std::unique_ptr<ProcessReader>> readers_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_SLICED_TRACE_H_
