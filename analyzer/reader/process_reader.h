// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_PROCESS_READER_H_
#define DLTAP_ANALYZER_READER_PROCESS_READER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/model/event_source.h"
#include "analyzer/reader/activity_stage.h"
#include "analyzer/reader/call_stage.h"
#include "analyzer/reader/chunk_list.h"
#include "analyzer/reader/definitions.h"
#include "analyzer/reader/sample_stage.h"
#include "analyzer/reader/timeline.h"
#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {

// Is told the part that is done, 0 to 1; may be empty.
using Progress = std::function<void(double part)>;
// The same for one of `n` equal parts.
Progress PartOf(const Progress& progress, size_t index, size_t n);

// Reads one process. Two passes over its chunks: clocks and names are needed
// before the first event, and may stand behind it. Keeps references to its
// arguments, which must outlive it.
class ProcessReader {
 public:
  ProcessReader(const ProcessFiles& files, ModelBuilder& builder,
                Process& process, std::vector<std::string>* problems,
                Progress progress);

  // First: definitions and clocks.
  void Prepare(RealtimeOffsets& offsets);

  // Then all events.
  void ReadAll();

  // Or: all but the events, which are counted and of whose chunks it is noted
  // when their events begin; process's begin and end are those of the run.
  void Survey();
  const EventTotals& totals() const { return totals_; }
  // When it made communicators; in time.
  const std::vector<TimePart>& meetings() const { return meetings_; }
  // Moves all times, also of what will be read.
  void Shift(int64_t by);
  // See EventSource.
  int64_t TimeAfter(int64_t from_ns, uint64_t events) const;
  // See EventSource. The process that it was made with is as before again.
  Process ReadParts(const std::vector<TimePart>& parts);

 private:
  // Of a chunk: how many events begin when.
  struct Extent {
    uint64_t events = 0;   // with the next
    uint64_t samples = 0;  // spans off the CPU, of which all are known, and
                           // frames seen
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    bool names_functions = false;
  };

  const trace::FileHeader& Header() const;
  // Visits the chunks in turn, the first or second time.
  template <typename Visit>
  void ForEachChunk(int pass, Visit visit);
  void Reserve();
  bool IsWanted(size_t chunk, const std::vector<TimePart>& parts) const;
  void ReserveParts(const std::vector<TimePart>& parts);
  void ReadDefinitions(const Chunk& chunk);
  void ReadEvents(const Chunk& chunk);
  void ReadRecord(const trace::RecordView& record);
  void AddOpenCalls();
  void LookForRing();
  void FinishSamples(const RunEnds& ends);
  void Malformed(const Chunk& chunk);

  void SurveyChunk(const Chunk& chunk, RunEnds& ends);
  void AddEvent(int64_t begin_ns, int64_t end_ns, Extent& extent);
  void KeepOfSurvey();
  bool MakesCommunicator(const Call& call) const;
  void SpreadEvents();
  double BinNs() const;
  void NameFunctions(const Chunk& chunk);
  void KeepOnly(const std::vector<TimePart>& parts);

  const ProcessFiles& files_;
  const TraceModel& model_;
  Process& process_;
  std::vector<std::string>* problems_;
  const Progress progress_;
  LossCounts losses_;
  std::string ring_name_;  // that the data file tells
  size_t activity_count_ = 0;
  size_t launch_count_ = 0;
  ChunkList chunks_;
  Timeline timeline_;
  Definitions definitions_;
  CallStage calls_;
  ActivityStage activities_;
  SampleStage samples_;
  // Of a survey.
  EventTotals totals_;
  std::vector<TimePart> meetings_;
  std::vector<Extent> extents_;  // by chunk
  TimePart run_{};
  std::vector<double> begun_;  // events, by the end of each part of the run
  std::vector<Range> long_ranges_;
  std::vector<TimePart> unrecorded_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_PROCESS_READER_H_
