// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_LEVEL_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_LEVEL_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/idle/phases.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Some memory more or less.
struct MemoryChange {
  int64_t at_ns;
  int64_t bytes;
  size_t member;  // whose: any number that the caller chose
  ThreadId thread;
};

// How an amount of memory went up and down.
struct MemoryLevel {
  int64_t peak_bytes = 0;
  int64_t peak_at_ns = 0;           // when it was first reached
  std::optional<size_t> peak_step;  // of the process that reached it
  std::optional<StepUse> peak_step_use;
  std::optional<Phase> peak_phase;  // of what it submitted next
  int64_t end_bytes = 0;            // what was left
  uint64_t taken = 0;               // requests
  uint64_t given_back = 0;
  // At the ends of the used steps of each process, in time.
  std::vector<std::vector<int64_t>> step_ends_bytes;

  auto operator<=>(const MemoryLevel&) const = default;
};

// Whose change made the level highest.
struct PeakMaker {
  size_t member = 0;
  ThreadId thread;
};

// Of changes in time, up to the end of `span`; the peak is sought in it.
// `maker` may be null.
MemoryLevel LevelOf(const std::vector<MemoryChange>& changes, Interval span,
                    PeakMaker* maker);

// How much `member` has at the end of each used step.
std::vector<int64_t> LevelAtStepEnds(const std::vector<MemoryChange>& changes,
                                     size_t member, const Steps& steps);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_LEVEL_H_
