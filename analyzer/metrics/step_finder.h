// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEP_FINDER_H_
#define DLTAP_ANALYZER_METRICS_STEP_FINDER_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

enum class StepUse : uint8_t {
  kUsed,
  kWarmUp,
  kAutotune,
  kEvaluation,
  kIncomplete,
  kDelayed  // of a run with delays, see delays.h
};

enum class StepsFoundBy : uint8_t { kNone, kMarker, kPeriod };

// One iteration of the training loop, on the host's time line.
struct Step {
  int64_t begin_ns;
  int64_t end_ns;  // begin of the next step
  StepUse use = StepUse::kUsed;
};

struct Steps {
  StepsFoundBy found_by = StepsFoundBy::kNone;
  std::vector<Step> steps;  // in time; empty when none were found
};

// Markers (ProfilerStep#N, NVTX ranges that say step or iteration) win; else
// the period of the sequence of call signatures; see METRICS.md "Steps".
Steps FindSteps(const TraceModel& model, const Process& process,
                const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEP_FINDER_H_
