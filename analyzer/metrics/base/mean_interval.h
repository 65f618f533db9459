// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_MEAN_INTERVAL_H_
#define DLTAP_ANALYZER_METRICS_BASE_MEAN_INTERVAL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace dltap::analyzer {

// Where the mean of all steps lies with a probability of 95 %, though
// neighbouring steps are alike, and ranks step together: METRICS.md "Interval
// of the mean". nullopt for fewer than ten steps.
std::optional<std::array<double, 2>> MeanInterval(
    const std::vector<std::vector<int64_t>>& series);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_MEAN_INTERVAL_H_
