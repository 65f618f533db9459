// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_HOST_VIEW_H_
#define DLTAP_ANALYZER_METRICS_IDLE_HOST_VIEW_H_

#include <memory>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/idle/cpu_use.h"
#include "analyzer/metrics/idle/host_timeline.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What the host of a process did, and when it fed the steps of one device:
// found once, for all that looks at that device. Holds references.
class HostView {
 public:
  struct Feeder {
    Feeder(const TraceModel& model, const Process& process,
           const ProcessAttribution& attribution,
           const std::vector<ThreadId>& threads,
           const std::vector<Interval>& inputs);

    const HostTimeline timeline;
    const CpuUse cpu;  // refers to `timeline`
  };

  HostView(const TraceModel& model, const Process& process,
           const ProcessAttribution& attribution, const Steps& steps,
           DeviceId device);

  const Feeders& feeders() const { return feeders_; }
  const Feeder& Of(size_t feeder) const { return *by_feeder_[feeder]; }
  // The feeder with most kernels on the device; kNoFeeder: none has any.
  size_t main_feeder() const { return main_feeder_; }
  // When the steps of the device are fed: see InputSpans.
  const std::vector<Interval>& inputs() const { return inputs_; }

 private:
  const Feeders feeders_;
  const size_t main_feeder_;
  const std::vector<Interval> inputs_;
  std::vector<std::unique_ptr<const Feeder>> by_feeder_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_HOST_VIEW_H_
