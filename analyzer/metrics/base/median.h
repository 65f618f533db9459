// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_MEDIAN_H_
#define DLTAP_ANALYZER_METRICS_BASE_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dltap::analyzer {

// Of an even number of values the upper one of the two in the middle.
// REQUIRES: there is a value.
template <typename T>
T Median(std::vector<T> values) {
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_MEDIAN_H_
