// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/trust_inputs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/advice/rules.h"

namespace dltap::analyzer {
namespace {

constexpr double kClassified = 0.95;  // of the GPU time, at least
constexpr double kFlopsKnown = 0.80;  // of the class's GPU time, at least
// Lost records, of the activities: less than any limit of a rule, unless they
// are just the longest. The warning above the numbers stays.
constexpr double kFewLost = 0.001;

constexpr uint8_t kAll = 0xff;

// What a warning makes doubtful. The others touch nothing inside the windows.
uint8_t TouchedBy(WarningId id) {
  switch (id) {
    case WarningId::kDelays: return kNeedsHostTimes;
    case WarningId::kThreadsAtOnce:
    case WarningId::kRunsWithoutSteps:
    case WarningId::kNotObserved:
    case WarningId::kLostRecords:
    case WarningId::kWriteFailed:
    case WarningId::kLevelHost: return kAll;
    case WarningId::kLaunchesWithoutKernel:
      return kNeedsHostTimes | kNeedsClasses;
    case WarningId::kKernelsWithoutLaunch: return kNeedsHostTimes;
    case WarningId::kUnclassified: return kNeedsClasses;
    default: return 0;
  }
}

std::string Spoken(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

bool KnowsFlops(const Facts& facts, const Advice& advice) {
  if (!advice.layer_class) return false;
  const ClassRow* row = facts.RowOf(*advice.layer_class);
  if (row == nullptr) return false;
  const ClassSummary& sums = row->figures.sums;
  return sums.efficiency.known_ns >=
         kFlopsKnown * static_cast<double>(sums.gpu_ns);
}

bool IsOfLittle(const Facts& facts, const Warning& warning) {
  if (warning.id != WarningId::kLostRecords || !warning.count) return false;
  uint64_t activities = 0;
  for (const ProcessSummary& process : facts.summary.processes) {
    activities += process.activities;
  }
  return static_cast<double>(*warning.count) <=
         kFewLost * static_cast<double>(activities);
}

}  // namespace

std::string WhyNotTrusted(const Facts& facts, uint8_t needs,
                          const Advice& advice) {
  for (const Warning& warning : facts.figures.warnings) {
    if ((TouchedBy(warning.id) & needs) == 0) continue;
    if (IsOfLittle(facts, warning)) continue;
    return absl::StrCat("the trace warns of ", Spoken(Name(warning.id)));
  }
  if ((needs & kNeedsHostTimes) != 0 && facts.figures.program.has_fixed_costs) {
    return "host times are fixed costs (virtual clock)";
  }
  if ((needs & kNeedsClasses) != 0 &&
      facts.figures.trust.classified_share.value_or(0) < kClassified) {
    return "too little of the GPU time has a class";
  }
  if ((needs & kNeedsFlops) != 0 && !KnowsFlops(facts, advice)) {
    return "the FLOPs of too much of its class are unknown";
  }
  return "";
}

}  // namespace dltap::analyzer
