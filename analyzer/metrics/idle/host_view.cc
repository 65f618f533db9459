// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/host_view.h"

#include "analyzer/metrics/idle/input_spans.h"

namespace dltap::analyzer {

HostView::Feeder::Feeder(const TraceModel& model, const Process& process,
                         const ProcessAttribution& attribution,
                         const std::vector<ThreadId>& threads,
                         const std::vector<Interval>& inputs)
    : timeline(TimelineOf(model, process, attribution, threads)),
      cpu(process, threads, timeline, inputs) {}

HostView::HostView(const TraceModel& model, const Process& process,
                   const ProcessAttribution& attribution, const Steps& steps,
                   DeviceId device)
    : feeders_(process, attribution),
      main_feeder_(feeders_.MainFeederOf(process, attribution, device)),
      inputs_(
          InputSpans(model, process, attribution, steps, feeders_, device)) {
  for (size_t f = 0; f < feeders_.count(); ++f) {
    by_feeder_.push_back(std::make_unique<const Feeder>(
        model, process, attribution, feeders_.ThreadsOf(f), inputs_));
  }
}

}  // namespace dltap::analyzer
