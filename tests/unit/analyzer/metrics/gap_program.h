// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_ANALYZER_METRICS_GAP_PROGRAM_H_
#define DLTAP_TESTS_UNIT_ANALYZER_METRICS_GAP_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/metrics/idle/gaps.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {

// Every trace begins with a kernel that ends at 100 us, so that the gap under
// test starts there.
inline constexpr char kFirstKernel[] =
    "device 0 name=gpu\n"
    "call t=0..4us thread=0 cudaLaunchKernel\n"
    "launchapi t=1..3us thread=0 corr=1\n"
    "kernel t=10..100us device=0 stream=7 corr=1 name=first\n";

// The gaps of a trace, and the symbols and classes that they name.
struct Found {
  explicit Found(const std::string& text, const Steps& steps = {})
      : model(TraceFromText(text)), attribution(Attribute(model)) {
    const Process& process = model.processes[0];
    const auto windows =
        StepWindows(process, attribution.processes[0], steps, DeviceId(0));
    const HostView host(model, process, attribution.processes[0], steps,
                        DeviceId(0));
    const FeedersWork found =
        FindGaps(process, attribution.processes[0], steps, host, DeviceId(0),
                 windows, [this](const Gap& gap) { gaps.push_back(gap); });
    host_work_ns = found.host_work_ns;
    input_samples = found.input_samples;
  }

  std::string DrainedIn(const Gap& gap) const {
    const Call& call = model.processes[0].calls[gap.drained_in.value()];
    return model.entry_points[call.entry.value()].symbol;
  }

  LayerClass ClassOf(const Gap& gap) const {
    const auto& of_process = attribution.processes[0];
    return of_process.activities[ChargedTo(of_process, gap)].layer_class;
  }

  TraceModel model;
  Attribution attribution;
  std::vector<Gap> gaps;
  int64_t host_work_ns = 0;
  uint64_t input_samples = 0;
};

inline int64_t Us(const Gap& gap, IdleCause cause) {
  return gap.ns[static_cast<size_t>(cause)] / 1000;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_UNIT_ANALYZER_METRICS_GAP_PROGRAM_H_
