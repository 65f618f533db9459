// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_ACTIVITY_STAGE_H_
#define DLTAP_ANALYZER_READER_ACTIVITY_STAGE_H_

#include <cstdint>

#include "analyzer/model/trace_model.h"
#include "analyzer/reader/definitions.h"
#include "analyzer/reader/timeline.h"

namespace dltap::analyzer {

// Turns activity records into kernels, copies, memsets and launch records, in
// the order in which they come; times are ns of the trace's time line.
//
// Keeps references to its arguments, which must outlive it; `definitions` and
// `timeline` must be complete. A record whose ids nothing defines keeps its
// times under placeholders. One that the time line cannot place is counted
// (kUnmappedTime). An end before the begin becomes the begin.
class ActivityStage {
 public:
  ActivityStage(Process& process, Definitions& definitions,
                const Timeline& timeline, LossCounts& losses)
      : process_(process),
        definitions_(definitions),
        timeline_(timeline),
        losses_(losses) {}

  // False: not an activity; nothing changed.
  bool Add(const trace::RecordView& record);

 private:
  void AddKernel(const trace::RecordView& record);
  void AddMemcpy(const trace::RecordView& record);
  void AddMemset(const trace::RecordView& record);
  void AddLaunch(const trace::RecordView& record);
  void AddGraphNode(const trace::RecordView& record);

  // What the records of all kinds of activity have in common.
  template <typename Record>
  Activity Begin(const trace::RecordView& view, const Record& record,
                 ActivityKind kind);
  template <typename Record>
  void SetSpan(const trace::RecordView& view, const Record& record,
               int64_t* begin_ns, int64_t* end_ns);

  Process& process_;
  Definitions& definitions_;
  const Timeline& timeline_;
  LossCounts& losses_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_ACTIVITY_STAGE_H_
