// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_MEAN_OF_STEPS_H_
#define DLTAP_ANALYZER_METRICS_BASE_MEAN_OF_STEPS_H_

#include <vector>

namespace dltap::analyzer {

// What a series of steps tells of the mean of all such steps.
struct StepsMean {
  double mean = 0;
  double variance = 0;  // of the mean
  double degrees = 1;   // of freedom, of the variance
};

// From two values on. Neighbouring steps are alike, so they count as as many
// independent ones as would tell as much.
StepsMean MeanOfSteps(const std::vector<double>& values);

// Equally long series are of ranks that step together: one series, of their
// means. Others have nothing in common but their kind, and stay as they are.
std::vector<std::vector<double>> Together(
    std::vector<std::vector<double>> series);

// The 97.5 % point of Student's distribution, to four digits from 1 degree of
// freedom on, also between whole ones.
double StudentQuantile(double degrees);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_MEAN_OF_STEPS_H_
