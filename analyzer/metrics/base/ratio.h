// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_RATIO_H_
#define DLTAP_ANALYZER_METRICS_BASE_RATIO_H_

#include <cmath>
#include <optional>

namespace dltap::analyzer {

// part / whole; unknown when there is nothing to divide by. Never NaN or
// infinite.
inline std::optional<double> Ratio(double part, double whole) {
  if (!(whole > 0)) return std::nullopt;
  const double ratio = part / whole;
  if (!std::isfinite(ratio)) return std::nullopt;
  return ratio;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_RATIO_H_
