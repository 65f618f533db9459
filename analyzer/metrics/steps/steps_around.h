// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_STEPS_AROUND_H_
#define DLTAP_ANALYZER_METRICS_STEPS_STEPS_AROUND_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/near_search.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// StepAt and SubmittedIn, where one question is mostly near the one before.
class StepsAround {
 public:
  explicit StepsAround(const Steps& steps) : steps_(steps.steps) {}

  std::optional<size_t> At(int64_t at_ns) {
    near_ = FirstFrom(steps_.size(), near_,
                      [&](size_t i) { return steps_[i].begin_ns <= at_ns; });
    if (near_ == 0 || at_ns >= steps_[near_ - 1].end_ns) return std::nullopt;
    return near_ - 1;
  }
  std::optional<size_t> Of(const Process& process, CallId call) {
    if (!call.known()) return std::nullopt;
    return At(process.calls[call.value()].begin_ns);
  }

 private:
  const std::vector<Step>& steps_;
  size_t near_ = 0;  // how many began until then
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_STEPS_AROUND_H_
