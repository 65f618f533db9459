// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_KNOWN_PART_H_
#define DLTAP_ANALYZER_METRICS_BASE_KNOWN_PART_H_

#include <cstdint>
#include <optional>

namespace dltap::analyzer {

// A rate of the activities whose work is known says nothing of a row of
// `gpu_ns` where they are less than half of it: the elementwise work beside
// convolutions of unknown sizes is not what the row does.
inline std::optional<double> RateOfRow(std::optional<double> rate,
                                       double known_ns, int64_t gpu_ns) {
  constexpr double kLeastKnown = 0.5;
  if (known_ns < kLeastKnown * static_cast<double>(gpu_ns)) return std::nullopt;
  return rate;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_KNOWN_PART_H_
