// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_MEAN_INTERVAL_H_
#define DLTAP_ANALYZER_METRICS_BASE_MEAN_INTERVAL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace dltap::analyzer {

// Where the mean of all values lies with a probability of 95 %: a circular
// block bootstrap, because neighbouring steps are alike. Each series is
// resampled for itself, in blocks of the cube root of its length. Always the
// same for the same values. nullopt for fewer than ten values.
std::optional<std::array<double, 2>> MeanInterval(
    const std::vector<std::vector<int64_t>>& series);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_MEAN_INTERVAL_H_
