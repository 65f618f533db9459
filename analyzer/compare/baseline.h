// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_BASELINE_H_
#define DLTAP_ANALYZER_COMPARE_BASELINE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/compare/change.h"
#include "analyzer/compare/quantities.h"
#include "analyzer/compare/step_samples.h"

namespace dltap::analyzer {

// What a program does on a simulated GPU, on the virtual clock, where two runs
// give the same numbers: those of QuantityRow::is_exact.
struct BaselineRun {
  std::map<std::string, std::string> made_with;  // "dltap": "0.1.0"
  bool by_steps = false;
  uint64_t steps = 0;
  std::map<std::string, double> quantities;
};

// By the program's name, then by GPU.
using Baseline = std::map<std::string, std::map<std::string, BaselineRun>>;

// Classes that did nothing are left out: 0. Values have six digits after the
// point.
BaselineRun BaselineRunOf(const Side& side,
                          std::map<std::string, std::string> made_with);

// "dltap.baseline", version 1: sorted and indented, for code review.
std::string BaselineText(const Baseline& baseline);
absl::StatusOr<Baseline> ParseBaseline(const std::string& text);

// All quantities that either has, in the order of their names. What this dltap
// has no such quantity of is left out.
std::map<std::string, Change> ChangesOf(const BaselineRun& base,
                                        const BaselineRun& now);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_BASELINE_H_
