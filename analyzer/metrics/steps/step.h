// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_STEP_H_
#define DLTAP_ANALYZER_METRICS_STEPS_STEP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dltap::analyzer {

enum class StepUse : uint8_t {
  kUsed,
  kWarmUp,
  kAutotune,
  kEvaluation,
  kIncomplete,
  kNotObserved,  // records of much of it are missing
  kNotSelected,  // the user asked for others
  kDelayed,      // of a run with delays, see delays.h
  kInterrupted   // an evaluation runs inside, see interrupted_steps.h
};

enum class StepsFoundBy : uint8_t { kNone, kMarker, kPeriod };

// One iteration of the program's loop, on the host's time line.
struct Step {
  int64_t begin_ns;
  int64_t end_ns;  // begin of what follows, where the trace shows it
  StepUse use = StepUse::kUsed;
  bool end_known = true;  // false: nothing shows it; what is known ends there
  bool loads_modules = false;  // code was loaded during it: compiled anew, say
};

struct Steps {
  StepsFoundBy found_by = StepsFoundBy::kNone;
  std::vector<Step> steps;  // in time; empty when none were found
  // The iterations of each thread that runs a loop while another one does, from
  // two threads on: then no steps are found, for they lie in each other.
  std::vector<uint64_t> threads_at_once = {};
  // How many steps there are by another reading, where nothing but likeness
  // tells which of two nested loops is meant; 0: there is no other.
  uint64_t other_count = 0;
};

// The same as [first, end) of a vector of tokens.
struct TokenSpan {
  size_t first;
  size_t end;
  StepUse use = StepUse::kUsed;
};

// What happens less often is no loop.
inline constexpr size_t kMinRepeats = 3;

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_STEP_H_
