// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/step_accounts.h"

#include "analyzer/metrics/add_arrays.h"
#include "analyzer/metrics/gaps.h"
#include "analyzer/metrics/host_view.h"

namespace dltap::analyzer {

std::vector<StepAccount> AccountSteps(const TraceModel& model,
                                      const Process& process,
                                      const ProcessAttribution& attribution,
                                      const Steps& steps, DeviceId device) {
  std::vector<StepWindow> windows =
      AllStepWindows(process, attribution, steps, device);
  if (windows.empty()) windows = WholeRun(process, device);
  std::vector<StepAccount> out;
  for (const StepWindow& window : windows) out.push_back({window});
  if (out.empty()) return out;
  size_t at = 0;
  VisitSegments(process, attribution, device, windows,
                [&](const Segment& segment) {
                  while (segment.span.begin_ns >= windows[at].span.end_ns) ++at;
                  out[at].state_ns[static_cast<size_t>(segment.state)] +=
                      segment.span.length_ns();
                });
  const HostView host(model, process, attribution, steps, device);
  FindGaps(process, attribution, steps, host, device, windows,
           [&](const Gap& gap) { AddTo(out[gap.window].idle_ns, gap.ns); });
  return out;
}

}  // namespace dltap::analyzer
