// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/step_at.h"

#include <algorithm>

namespace dltap::analyzer {

std::optional<size_t> StepAt(const Steps& steps, int64_t at_ns) {
  const auto after = std::upper_bound(
      steps.steps.begin(), steps.steps.end(), at_ns,
      [](int64_t ns, const Step& step) { return ns < step.begin_ns; });
  if (after == steps.steps.begin()) return std::nullopt;
  if (at_ns >= (after - 1)->end_ns) return std::nullopt;
  return static_cast<size_t>(after - 1 - steps.steps.begin());
}

std::optional<size_t> SubmittedIn(const Process& process, const Steps& steps,
                                  CallId call) {
  if (!call.known()) return std::nullopt;
  return StepAt(steps, process.calls[call.value()].begin_ns);
}

}  // namespace dltap::analyzer
