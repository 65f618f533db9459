// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/traffic_text.h"

#include <vector>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShownNs = 5'000;  // 0.01 ms; less would print as 0

}  // namespace

std::string ExposureLine(const Figures& figures) {
  std::vector<std::string> parts;
  for (const ClassRow& row : figures.classes) {
    const StepShare& step = row.figures.step_mean;
    if (!step.exposed_ns || row.small || step.gpu_ns < kLeastShownNs) continue;
    parts.push_back(DisplayName(row.layer_class) + " " + Ms(*step.exposed_ns) +
                    " + " + Ms(*step.hidden_ns));
  }
  if (parts.empty()) return "";
  return "  exposed + hidden: " + Join(parts, " · ") + "  ms";
}

}  // namespace dltap::analyzer
