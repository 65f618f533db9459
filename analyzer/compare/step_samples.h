// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_STEP_SAMPLES_H_
#define DLTAP_ANALYZER_COMPARE_STEP_SAMPLES_H_

#include <functional>
#include <vector>

#include "analyzer/compare/change.h"
#include "analyzer/metrics/figures/figures.h"

namespace dltap::analyzer {

// One side of a comparison. What it points to must live as long.
struct Side {
  const Summary* summary;
  const Figures* figures;

  bool has_steps() const { return figures->totals.step_windows > 0; }
};

// What one step has of the series whose keys `wanted` takes: its mean, as the
// report has it (without steps, the sum over the run), and each step's in
// `scale`. A step that several devices take together is one sample.
Measured PerStep(const Side& side, double scale,
                 const std::function<bool(const SeriesKey&)>& wanted);

// The same of the length of a step; without steps, of the run.
Measured StepLength(const Side& side, double scale);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_STEP_SAMPLES_H_
