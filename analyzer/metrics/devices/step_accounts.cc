// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/devices/step_accounts.h"

#include "analyzer/metrics/base/add_arrays.h"
#include "analyzer/metrics/idle/all_gaps.h"
#include "analyzer/metrics/idle/host_view.h"

namespace dltap::analyzer {

std::vector<StepAccount> AccountSteps(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution, const Steps& steps, DeviceId device,
    const std::function<void(const Gap&, const StepWindow&)>& visit) {
  std::vector<StepWindow> windows =
      AllStepWindows(process, attribution, steps, device);
  // Steps that left no work on the device have no gaps there.
  const bool is_run = windows.empty();
  const auto is_judged = [&](const StepWindow& window) {
    return is_run ? steps.steps.empty()
                  : steps.steps[window.step].use == StepUse::kUsed;
  };
  if (is_run) windows = WholeRun(process, device);
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
  FindAllGaps(process, attribution, steps, host, device, windows, is_judged,
              [&](const Gap& gap) {
                AddTo(out[gap.window].idle_ns, gap.ns);
                const StepWindow& window = windows[gap.window];
                if (is_judged(window)) visit(gap, window);
              });
  return out;
}

}  // namespace dltap::analyzer
