// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PICTURES_STEP_STRIP_H_
#define DLTAP_ANALYZER_METRICS_PICTURES_STEP_STRIP_H_

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/metrics/idle/host_view.h"
#include "analyzer/metrics/pictures/pictures.h"

namespace dltap::analyzer {

// Splits every step of a device, used or not, and keeps its gaps. Holds
// references.
class StripDrawer {
 public:
  // `steps` in time; what the used ones are made of is `summary`'s. Of those in
  // `drawn`, and of those of LongestGaps(), gaps() are kept.
  StripDrawer(const TraceModel& model, const DeviceView& view,
              const DeviceSummary& summary,
              const std::vector<MarkedWindow>& steps,
              const std::vector<size_t>& drawn, PictureTexts& texts);

  // In time, without what was seen in them. Of a million and more the shorter
  // ones are missing.
  const std::vector<Gap>& gaps() const { return gaps_; }
  // Of each cause and class the longest of used steps.
  std::vector<LongGap> LongestGaps() const;
  StepStrip Take() { return std::move(strip_); }

 private:
  using Cell = std::pair<IdleCause, std::optional<LayerClass>>;

  void AddUsedSteps(const DeviceSummary& summary);
  void AddLeftOutSteps(const HostView& host);
  void RankGaps(const HostView& host);
  void KeepGaps(const HostView& host, const std::vector<size_t>& drawn);
  void Rank(Gap gap);
  Cell CellOf(const Gap& gap) const;
  LongGap Describe(const Gap& gap) const;
  uint32_t NameOf(CallId call) const;

  const TraceModel& model_;
  const DeviceView& view_;
  const std::vector<MarkedWindow>& steps_;
  PictureTexts& texts_;
  std::vector<StepWindow> windows_;  // of steps that do not overlap
  std::vector<size_t> step_of_;      // their places in steps_
  StepStrip strip_;                  // all of steps_
  std::vector<Gap> gaps_;
  std::map<Cell, std::vector<Gap>> longest_;  // of used steps, and some more
};

// At most `most` of them: steps in a row put together, but none of two
// processes or uses. None where even that is too many.
StepStrip InBins(StepStrip strip, size_t most);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PICTURES_STEP_STRIP_H_
