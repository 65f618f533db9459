// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/process_account.h"

namespace dltap::analyzer {

ProcessAccount MakeProcessAccount(const ExportInput& input, size_t p) {
  const Process& process = input.model.processes[p];
  const ProcessAttribution& attribution = input.attribution.processes[p];
  const Steps& steps = input.steps[p];
  ProcessAccount out;
  out.gaps.Reserve(process.activities.size());
  for (size_t d = 0; d < process.devices.size(); ++d) {
    const DeviceId device(d);
    SeenFramesKeeper seen_frames(input.model);
    out.steps.push_back(
        AccountSteps(input.model, process, attribution, steps, device,
                     [&](const Gap& gap, const StepWindow& window) {
                       out.gaps.Add(attribution, device, window.step, gap);
                       seen_frames.Add(gap);
                     }));
    out.seen_frames.push_back(seen_frames.Take());
  }
  out.classes = ClassSums(process, attribution, steps);
  return out;
}

}  // namespace dltap::analyzer
