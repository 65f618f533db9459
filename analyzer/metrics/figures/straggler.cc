// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/straggler.h"

#include <algorithm>
#include <array>

namespace dltap::analyzer {
namespace {

constexpr double kMostOfIt = 0.5;  // of the waiting
constexpr size_t kComputes = kFaults;

// Per step of one device: idle time by fault, then computing.
using StepTimes = std::array<double, kFaults + 1>;

double StepsOf(const DeviceSummary& device) {
  return static_cast<double>(std::max<size_t>(1, device.steps.size()));
}

StepTimes TimesOf(const DeviceSummary& device) {
  const double steps = StepsOf(device);
  const auto by_fault = ByFault(device.idle_ns());
  StepTimes times{};
  for (size_t i = 0; i < kFaults; ++i) {
    times[i] = static_cast<double>(by_fault[i]) / steps;
  }
  times[kComputes] =
      static_cast<double>(device.in(DeviceState::kCompute)) / steps;
  return times;
}

bool IsOf(const DeviceSummary& device, const RankKey& key) {
  return device.processes.size() == 1 &&
         device.processes.front() == key.process &&
         device.ordinal == key.device;
}

void Explain(const Summary& summary, Limit& limit) {
  const DeviceSummary* late = nullptr;
  StepTimes others{};
  size_t n_others = 0;
  double waiting = 0;
  for (const DeviceSummary& device : summary.devices) {
    if (IsOf(device, *limit.straggler)) {
      late = &device;
      continue;
    }
    const StepTimes times = TimesOf(device);
    for (size_t i = 0; i < times.size(); ++i) others[i] += times[i];
    waiting +=
        static_cast<double>(device.comm_exposed.waiting_ns) / StepsOf(device);
    ++n_others;
  }
  if (late == nullptr || n_others == 0) return;
  StepTimes longer = TimesOf(*late);
  for (size_t i = 0; i < longer.size(); ++i) {
    longer[i] -= others[i] / static_cast<double>(n_others);
  }
  const auto most = std::max_element(longer.begin(), longer.end());
  if (*most < kMostOfIt * waiting / static_cast<double>(n_others)) return;
  const auto i = static_cast<size_t>(most - longer.begin());
  limit.late_step_ns = *most;
  if (i != kComputes) limit.late_fault = static_cast<Fault>(i);
}

}  // namespace

void ExplainStraggler(const Summary& summary, std::vector<Limit>& limits) {
  for (Limit& limit : limits) {
    if (limit.straggler && limit.waiting_step_ns) Explain(summary, limit);
  }
}

}  // namespace dltap::analyzer
