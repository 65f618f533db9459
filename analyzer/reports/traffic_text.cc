// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/traffic_text.h"

#include <utility>
#include <vector>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShownNs = 5'000;  // 0.01 ms; less would print as 0

// What the exposed part is; nothing where no other rank is in the trace.
std::string CommParts(const Figures& figures) {
  const Exposures& exposures = figures.program.exposures;
  const CommTimes& times = exposures.comm_times;
  if (times.waiting_ns + times.transfer_ns == 0) return "";
  std::string text = " (waiting for the last rank " +
                     Ms(exposures.waiting_step_ns) + ", transfer " +
                     Ms(exposures.transfer_step_ns);
  if (times.unknown_ns > 0) {
    text += ", unknown " + Ms(exposures.unknown_step_ns);
  }
  return text + ")";
}

}  // namespace

std::string ExposureLine(const Figures& figures) {
  std::vector<std::string> parts;
  for (const ClassRow& row : figures.classes) {
    const StepShare& step = row.figures.step_mean;
    if (!step.exposed_ns || row.small || step.gpu_ns < kLeastShownNs) continue;
    std::string part = DisplayName(row.layer_class) + " " +
                       Ms(*step.exposed_ns) + " + " + Ms(*step.hidden_ns);
    if (row.layer_class == LayerClass::kComm) part += CommParts(figures);
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return "";
  return "  exposed + hidden: " + Join(parts, " · ") + "  ms";
}

}  // namespace dltap::analyzer
