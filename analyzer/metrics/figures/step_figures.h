// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_STEP_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_STEP_FIGURES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// The steps of all processes together. Each process counts its own: two ranks
// of 20 steps have 40.
struct StepFigures {
  StepsFoundBy found_by = StepsFoundBy::kNone;  // the weakest of the processes
  uint64_t found = 0;
  uint64_t used = 0;
  std::array<uint64_t, kStepUses> left_out{};  // kUsed is 0
  std::array<int64_t, kStepUses> wall_ns{};    // of the used ones, too
  uint64_t processes = 0;                      // with steps
  uint64_t processes_without = 0;  // with GPU work, but no steps were found
  // Of threads that run loops at once, without steps of their process.
  std::vector<uint64_t> threads_at_once;
  uint64_t with_module_loads = 0;    // of the used ones
  bool loads_modules_often = false;  // worth a word
  // By the other reading of some process; none: each has one reading.
  std::optional<uint64_t> other_count;
  // Of the processes with a rank, GPU work and steps.
  std::optional<uint64_t> fewest_of_a_rank;  // none: there are none
  uint64_t most_of_a_rank = 0;
  std::vector<int64_t> ns;  // of every device, in the order of devices
  std::optional<double> mean_ns;
  std::optional<double> stddev_ns;  // of the sample; from two steps on
  std::optional<std::array<double, 2>> ci95_ns;  // of the mean

  // Of the steps of that use, a mean over the processes.
  double wall_ns_of(StepUse use) const;
};

StepFigures StepsOf(const Summary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_STEP_FIGURES_H_
