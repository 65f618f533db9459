// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_SAMPLE_STAGE_H_
#define DLTAP_ANALYZER_READER_SAMPLE_STAGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/model/event_source.h"
#include "analyzer/model/trace_model.h"
#include "analyzer/reader/definitions.h"
#include "analyzer/reader/timeline.h"

namespace dltap::analyzer {

// When the last events end.
struct RunEnds {
  std::optional<int64_t> calls_ns;
  std::vector<int64_t> devices_ns;  // of activities, by device

  void Add(const Call& call);
  void Add(const Activity& activity);
};

// Turns what the collector sampled about the process and about itself into
// CPU samples, totals, and the spans in which the device was not observed.
//
// Keeps references to its arguments, which must outlive it; `definitions` and
// `timeline` must be complete. Totals are cumulative: the last record counts. A
// sample of no thread is left out.
class SampleStage {
 public:
  SampleStage(Process& process, Definitions& definitions,
              const Timeline& timeline, LossCounts& losses)
      : process_(process),
        definitions_(definitions),
        timeline_(timeline),
        losses_(losses) {}

  // False: not a sample; nothing changed.
  bool Add(const trace::RecordView& record);
  // Of what a thread does: spans off the CPU, and its frames; as Add().
  bool AddOfThread(const trace::RecordView& record);
  // After all calls and activities. `windows`: CallStage::windows().
  void Finish(std::vector<std::pair<int64_t, bool>> windows,
              const RunEnds& ends);
  // Then: between the windows, where no call was recorded; in time, disjoint.
  const std::vector<TimePart>& unrecorded() const { return unrecorded_; }

 private:
  void AddSwitches(const trace::RecordView& record);
  void AddCpuSample(const trace::RecordView& record);
  void AddThreadFrames(const trace::RecordView& record);
  void AddNotObserved(const trace::RecordView& record);
  void AddLevel(const trace::RecordView& record);
  void AddProcessSample(const trace::RecordView& record);
  void AddDelay(const trace::RecordView& record);
  void CloseDelays(int64_t end_ns);
  void AddOverhead(const trace::RecordView& record);
  // Spans from each switch off to the next switch on.
  std::vector<TimePart> CloseSwitches(
      std::vector<std::pair<int64_t, bool>> switches, int64_t end_ns);
  void AfterWatermarks(const RunEnds& ends);
  void OnEveryDevice(int64_t begin_ns, int64_t end_ns, NotObservedCause cause);

  struct SwitchesEnd {
    uint64_t monotonic_ns = 0;
    int64_t at_ns = 0;
  };

  Process& process_;
  Definitions& definitions_;
  const Timeline& timeline_;
  LossCounts& losses_;
  std::map<uint32_t, uint64_t> watermarks_;   // by device ordinal, activity ns
  std::map<uint32_t, uint64_t> call_counts_;  // by entry point
  std::map<uint32_t, SwitchesEnd> switches_end_;  // by thread
  std::vector<std::pair<int64_t, bool>> levels_;  // (ns, kernels from here)
  // Of Window records; those of calls come with Finish().
  std::vector<std::pair<int64_t, bool>> windows_;
  std::vector<trace::NotObservedRecord> everywhere_;
  std::vector<TimePart> unrecorded_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_SAMPLE_STAGE_H_
