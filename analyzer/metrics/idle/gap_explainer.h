// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_GAP_EXPLAINER_H_
#define DLTAP_ANALYZER_METRICS_IDLE_GAP_EXPLAINER_H_

#include <optional>
#include <vector>

#include "analyzer/attribution/base/range_index.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/idle/host_view.h"

namespace dltap::analyzer {

// Finds the causes of one gap of a device after another. Holds references.
class GapExplainer {
 public:
  GapExplainer(const Process& process, const ProcessAttribution& attribution,
               const HostView& host, DeviceId device);

  // Fills all but `span`, `ended_by`, `window` and `between_steps`.
  void Explain(Gap& gap);
  // The same without what drained the queue, as if nobody looked at the gap.
  // The call that explains the host's part; nullopt: there is none.
  std::optional<CallId> ExplainCauses(Gap& gap);

  FeedersWork HostWork(const std::vector<StepWindow>& windows) const;

 private:
  using FeederView = HostView::Feeder;

  std::optional<CallId> ExplainingCall(const Gap& gap) const;
  void ExplainHost(Gap& gap, const Call& call, Interval host);
  void ExplainBetween(Gap& gap, const FeederView& view, ThreadId thread,
                      Interval part);
  void ExplainOutsideInput(Gap& gap, const FeederView& view, ThreadId thread,
                           Interval part);
  void NameUnknown(Gap& gap, ThreadId thread, Interval part) const;
  // What is in none of the thread's ranges.
  std::vector<Interval> NameParts(Gap& gap, ThreadId thread,
                                  const std::vector<Interval>& parts) const;
  void LookAtFrames(Gap& gap, const FeederView& view, ThreadId thread,
                    Interval host);
  bool Shows(ThreadId looked_at, ThreadId submits) const;
  bool IsInput(int64_t at_ns) const;
  void SubtractProfiler(Gap& gap, const FeederView& view, Interval host);
  void ExplainDevice(Gap& gap, Interval device) const;
  void FindDrain(Gap& gap, const FeederView& view, CallId call);
  bool OnlySmallWork(int64_t begin_ns, int64_t end_ns);
  bool RanAhead(int64_t begin_ns, int64_t end_ns);

  const Process& process_;
  const ProcessAttribution& attribution_;
  const int64_t short_gap_ns_;
  const HostView& host_;
  const std::vector<Interval>& inputs_;
  const RangeIndex ranges_;
  bool has_operators_ = false;
  std::vector<int64_t> large_begins_;   // of activities that are no small work
  std::vector<int64_t> queued_begins_;  // of activities that had to wait
  std::vector<size_t> by_begin_;        // activities of feeders that compute
  std::vector<bool> has_looks_;         // by thread
  std::vector<bool> feeder_has_looks_;  // by feeder
  // Gaps come in time: where the one before was found.
  CpuUse::Place near_;
  size_t near_span_ = 0;
  size_t near_input_ = 0;
  size_t near_begin_ = 0;
  size_t near_wait_ = 0;
  size_t near_large_ = 0;
  size_t near_queued_ = 0;
  size_t near_look_ = 0;
  // Of the gap explained before.
  int64_t last_end_ns_ = 0;
  DrainedBy last_drained_by_ = DrainedBy::kNone;
  CallId last_drained_in_;
  int64_t lost_ns_ = 0;  // of the wait that drained it: not yet made up for
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_GAP_EXPLAINER_H_
