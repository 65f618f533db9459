// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DEVICES_STEP_ACCOUNTS_H_
#define DLTAP_ANALYZER_METRICS_DEVICES_STEP_ACCOUNTS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/device_timeline.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

inline constexpr size_t kDeviceStates =
    static_cast<size_t>(DeviceState::kCount);

// One step on one device: its states partition the window, the causes its idle
// time.
struct StepAccount {
  StepWindow window;
  std::array<int64_t, kDeviceStates> state_ns{};
  IdleTimes idle_ns{};

  int64_t of(DeviceState state) const {
    return state_ns[static_cast<size_t>(state)];
  }
};

// Of every step that has work on the device, used or not, in time; without
// steps one, over the whole run. METRICS.md "Device time", "Gaps". `visit` gets
// the gaps of the used steps, or of the run, as FindGaps does of StepWindows,
// and the step's window.
std::vector<StepAccount> AccountSteps(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution, const Steps& steps, DeviceId device,
    const std::function<void(const Gap&, const StepWindow&)>& visit);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DEVICES_STEP_ACCOUNTS_H_
