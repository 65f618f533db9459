// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_WARNINGS_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_WARNINGS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/metrics/figures/coverage.h"
#include "analyzer/metrics/figures/step_figures.h"
#include "analyzer/metrics/figures/trust.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/metrics/summary/totals.h"

namespace dltap::analyzer {

// Why the numbers may mislead; each is said above them.
enum class WarningId : uint8_t {
  kHostTimesFixed,         // a virtual clock: no host time is measured
  kUncomputedReads,        // count: numbers that the simulation made up
  kDelays,                 // share: of the GPU time, left out with its delays
  kOutside,                // share: of the GPU time, not in the numbers
  kOutsideTime,            // share: of the time of used steps and evaluations
  kStepSpread,             // the steps differ more than their mean is long
  kStepsNotFound,          // a long run, but no loop in it
  kThreadsAtOnce,          // count: threads whose steps lie in each other
  kRanksDiffer,            // ranks whose numbers of steps differ
  kRunsWithoutSteps,       // count: processes; share: of the windows' time
  kIncompleteStep,         // count: steps without an end; share: of GPU time
  kNotObserved,            // share: of the windows' time
  kStepsNotObserved,       // count: steps left out for want of records
  kCuptiYielded,           // count: times
  kLostRecords,            // count
  kNotFlushed,             // count: processes whose last records came too late
  kWriteFailed,            // count: bytes
  kOldestDropped,          // count: bytes, to stay within DLTAP_MAX_MB
  kProcessCut,             // count: processes without the end of their trace
  kInsideCall,             // count: processes that stay in a call; the longest
  kLaunchesWithoutKernel,  // count; share: of all launches
  kKernelsWithoutLaunch,   // count; share: of all activities
  kUnclassified,           // share: of the GPU time
  kDirectionUnknown,       // share: of kernels' time, in a run that trains
  kLevelHost,              // no records of the GPU
  kAllocationFailed,       // count: requests for memory that were refused
  kCount
};
std::string_view Name(WarningId id);

struct Warning {
  WarningId id;
  std::optional<double> share;
  std::optional<uint64_t> count;
  const ProcessSummary* process = nullptr;  // that it names; of the summary
};

// Those that hold, in the order of WarningId. All arguments are of `summary`.
std::vector<Warning> FindWarnings(const Summary& summary, const Totals& totals,
                                  const StepFigures& steps,
                                  const Coverage& coverage,
                                  const TrustFigures& trust);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_WARNINGS_H_
