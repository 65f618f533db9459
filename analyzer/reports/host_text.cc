// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/host_text.h"

#include <string_view>
#include <vector>

#include "analyzer/reports/count_text.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {

std::string HostLine(const HostFigures& host) {
  std::vector<std::string> parts;
  if (host.cpu_utilization) {
    parts.push_back("CPU " + PercentText(host.cpu_utilization) +
                    " of its cores");
  }
  if (host.queue_empty_share) {
    parts.push_back("at a launch " + Fixed(*host.queue_unfinished, 1) +
                    " activities unfinished, queue empty for " +
                    PercentText(host.queue_empty_share));
  }
  return parts.empty() ? "" : "  " + Join(parts, " · ");
}

std::string SensitivityText(const Figures& figures) {
  constexpr std::string_view kWhy[] = {"",
                                       "no library call to delay",
                                       "no steps found",
                                       "no step within one window",
                                       "too few windows",
                                       "too noisy"};
  std::string text;
  for (const Sensitivity& row : figures.sensitivity) {
    const std::string name = "  " + std::string(Name(row.layer_class)) + " ";
    if (!row.value) {
      text += name + "not measured: " +
              std::string(kWhy[static_cast<size_t>(row.why)]) + "\n";
      continue;
    }
    text += name + Fixed(*row.value, 2) + " (" + Fixed(*row.low, 2) + " to " +
            Fixed(*row.high, 2) + ")  " + Count(row.windows, "window") + ", " +
            Count(row.steps, "step") + ", " + Fixed(*row.calls_per_step, 1) +
            " calls a step\n";
  }
  return text.empty() ? ""
                      : "sensitivity of the step to host time before library "
                        "calls (0 hidden, 1 exposed)\n" +
                            text + "\n";
}

std::string OwnCost(const TrustFigures& trust) {
  std::string text = trust.overhead_ns
                         ? "own cost: wrappers " +
                               Ms(static_cast<double>(*trust.overhead_ns)) +
                               " ms in all, subtracted"
                         : "own cost unknown";
  if (trust.source_overhead_ns) {
    text += "; CUPTI " + Ms(static_cast<double>(*trust.source_overhead_ns)) +
            " ms, not subtracted";
  } else if (trust.recorded_launches > 0) {
    text += "; CUPTI's not measured (" +
            Count(trust.recorded_launches, "launch") + ")";
  }
  return text;
}

}  // namespace dltap::analyzer
